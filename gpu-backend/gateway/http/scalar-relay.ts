// Owns the relay to servers of scalar models: each request to the one that has the fewest, so many
// at one time, ended when its client goes. Knows no API's body.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { authorization } from "../../../src/core/wire/chat-endpoint.ts";
import { SCALAR_APIS } from "../../../src/core/wire/scalar-apis.ts";
import { GATEWAY_LIMITS } from "../gateway-limits.ts";

export interface ScalarRelayConfig {
  /** Base URLs, as VERIFIER_URL of the edge's scalar backend would name one. */
  urls: readonly string[];
  apiKey: string | null;
}

/** Paths that the APIs of scalar models are asked at. */
export const SCALAR_PATHS: readonly string[] = [...new Set(Object.values(SCALAR_APIS).map(({ path }) => path))];

interface Server {
  url: string;
  in_flight: number;
}

/** What of a reply is passed on; the rest is the server's own. */
const PASSED = ["content-type", "retry-after"];

export class ScalarRelay {
  readonly #servers: Server[];
  readonly #headers: Record<string, string>;
  readonly #waiting: (() => void)[] = [];

  constructor({ urls, apiKey }: ScalarRelayConfig) {
    this.#servers = urls.map((url) => ({ url: url.replace(/\/+$/, "").replace(/\/v\d+$/, ""), in_flight: 0 }));
    this.#headers = { "content-type": "application/json", ...authorization(apiKey) };
  }

  /**
   * The server's own reply to a body, once a place is free.
   * @param signal aborted when the client goes: the server is told to stop, or never asked
   * @throws ApiError `overloaded` where too many wait
   */
  async ask(path: string, body: string, signal: AbortSignal): Promise<Response> {
    const server = await this.#place(signal);
    try {
      const reply = await fetch(server.url + path, {
        ...{ method: "POST", headers: this.#headers, body, redirect: "manual" },
        signal: AbortSignal.any([signal, AbortSignal.timeout(LIMITS.deadline_ms_max)]),
      });
      const bytes = await bounded(reply);
      const headers = PASSED.flatMap((name) => {
        const value = reply.headers.get(name);
        return value === null ? [] : [[name, value] as [string, string]];
      });
      return new Response(bytes, { status: reply.status, headers });
    } catch {
      return Response.json({ error: { message: "the scalar server does not answer", code: 502 } }, { status: 502 });
    } finally {
      server.in_flight--;
      this.#waiting.shift()?.();
    }
  }

  /** The server with the fewest requests, taken; waits in line where all are full. */
  async #place(signal: AbortSignal): Promise<Server> {
    for (;;) {
      const free = this.#servers.reduce((least, one) => (one.in_flight < least.in_flight ? one : least));
      if (free.in_flight < GATEWAY_LIMITS.scalar_in_flight_max) {
        free.in_flight++;
        return free;
      }
      if (this.#waiting.length >= GATEWAY_LIMITS.scalar_waiting_max) throw overloaded();
      await this.#turn(signal);
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = () => {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener("abort", gone, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", gone));
  }
}

/** A reply's bytes; throws for one beyond `reply_line_bytes`. */
async function bounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > LIMITS.reply_line_bytes) throw new Error("too long");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const overloaded = () =>
  new ApiError(
    "overloaded",
    `More than scalar_waiting_max = ${GATEWAY_LIMITS.scalar_waiting_max} requests wait for a scalar server.`,
    { headers: { "retry-after": "1" } },
  );
