// Proxy to the servers of scalar reward models. Sends each request to the least loaded server within a limit
// on concurrency, fails over if a server does not answer, and aborts when the client disconnects. Request
// bodies are passed through unread.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { withoutTrailing } from "../../../src/core/text/trailing.ts";
import { authorization } from "../../../src/core/wire/chat-endpoint.ts";
import { SCALAR_APIS } from "../../../src/core/wire/scalar-apis.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";

export interface ScalarRelayConfig {
  /** Base URLs in the form of the VERIFIER_URL of the edge's scalar backend. */
  urls: readonly string[];
  apiKey: string | null;
}

/** Request paths of the scalar model APIs. */
export const SCALAR_PATHS: readonly string[] = [...new Set(Object.values(SCALAR_APIS).map(({ path }) => path))];

interface Server {
  url: string;
  in_flight: number;
  /** Until this time the server is used only if no other is left; ms on the relay's clock. */
  rests_until: number;
}

/** A request waiting for a slot at a server that it has not tried. */
interface Waiting {
  tried: ReadonlySet<Server>;
  resolve: (server: Server) => void;
}

/** Response headers that are passed on; all others are dropped. */
const PASSED = ["content-type", "retry-after"];

export class ScalarRelay {
  readonly #servers: Server[];
  readonly #headers: Record<string, string>;
  readonly #timers: Timers;
  readonly #waiting = new Set<Waiting>();
  readonly #open = new Set<AbortController>();

  constructor({ urls, apiKey }: ScalarRelayConfig, timers: Timers) {
    this.#servers = urls.map((url) => ({
      ...{ url: withoutTrailing(url, "/").replace(/\/v\d+$/, ""), in_flight: 0 },
      rests_until: Number.NEGATIVE_INFINITY,
    }));
    this.#headers = { "content-type": "application/json", ...authorization(apiKey) };
    this.#timers = timers;
  }

  /**
   * Sends a body to a server as soon as a slot is free and returns the server's reply. Fails over to the next
   * server if a server does not answer; returns 502 if none does.
   * @param signal aborted when the client disconnects; aborts the request to the server
   * @throws ApiError `overloaded` if too many requests are waiting
   */
  async ask(path: string, body: string, signal: AbortSignal): Promise<Response> {
    const stop = new AbortController();
    const ends = AbortSignal.any([signal, stop.signal]);
    const disarm = this.#timers.after(LIMITS.deadline_ms_max, () => stop.abort());
    const tried = new Set<Server>();
    this.#open.add(stop);
    try {
      while (tried.size < this.#servers.length && !ends.aborted) {
        const server = await this.#place(tried, ends);
        const reply = server && (await this.#askOne(server, path, body, ends));
        if (reply !== null) return reply;
      }
    } finally {
      disarm();
      this.#open.delete(stop);
    }
    return badGateway();
  }

  /** Ends every running or waiting request with 502. */
  stop(): void {
    for (const controller of this.#open) controller.abort();
  }

  /** Returns the reply of one server, or null if it does not answer. Releases the slot. */
  async #askOne(server: Server, path: string, body: string, signal: AbortSignal): Promise<Response | null> {
    try {
      const reply = await fetch(server.url + path, {
        ...{ method: "POST", headers: this.#headers, body, redirect: "manual", signal },
      });
      const bytes = await bounded(reply);
      const headers = PASSED.flatMap((name) => {
        const value = reply.headers.get(name);
        return value === null ? [] : [[name, value] as [string, string]];
      });
      return bytes === null ? badGateway() : new Response(bytes, { status: reply.status, headers });
    } catch {
      if (!signal.aborted) server.rests_until = this.#timers.now() + GATEWAY_LIMITS.scalar_rest_ms;
      return null;
    } finally {
      server.in_flight--;
      this.#handOn();
    }
  }

  /** Waits for a slot at a server not yet tried, in order of arrival; null if the signal is aborted. */
  async #place(tried: Set<Server>, signal: AbortSignal): Promise<Server | null> {
    let server = this.#take(tried);
    if (server === null) {
      if (this.#waiting.size >= GATEWAY_LIMITS.scalar_waiting_max) throw overloaded();
      server = await this.#turn(tried, signal);
    }
    if (server !== null) tried.add(server);
    return server;
  }

  /** Takes a slot at the least loaded server; null if all eligible servers are full. */
  #take(tried: ReadonlySet<Server>): Server | null {
    const left = this.#servers.filter((server) => !tried.has(server));
    const awake = left.filter((server) => server.rests_until <= this.#timers.now());
    const [first, ...others] = awake.length > 0 ? awake : left;
    if (first === undefined) return null;
    const free = others.reduce(
      (leastBusy, server) => (server.in_flight < leastBusy.in_flight ? server : leastBusy),
      first,
    );
    if (free.in_flight >= GATEWAY_LIMITS.scalar_in_flight_max) return null;
    free.in_flight++;
    return free;
  }

  /** Gives free slots to the first waiting requests that can use them. */
  #handOn(): void {
    for (const waiting of this.#waiting) {
      const server = this.#take(waiting.tried);
      if (server === null) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(server);
    }
  }

  async #turn(tried: ReadonlySet<Server>, signal: AbortSignal): Promise<Server | null> {
    const { promise, resolve } = Promise.withResolvers<Server | null>();
    const waiting = { tried, resolve };
    const gone = () => {
      // Must run synchronously: a slot assigned after the abort would be lost.
      this.#waiting.delete(waiting);
      resolve(null);
    };
    this.#waiting.add(waiting);
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
    const server = await promise;
    signal.removeEventListener("abort", gone);
    return server;
  }
}

/** Reads the reply; returns null if it is longer than `reply_line_bytes`. */
async function bounded({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > LIMITS.reply_line_bytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const badGateway = () =>
  Response.json({ error: { message: "no scalar server responded", code: 502 } }, { status: 502 });

const overloaded = () =>
  new ApiError(
    "overloaded",
    `More than scalar_waiting_max = ${GATEWAY_LIMITS.scalar_waiting_max} requests are waiting for a scalar server.`,
    { headers: { "retry-after": "1" } },
  );
