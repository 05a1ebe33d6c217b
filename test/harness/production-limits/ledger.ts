// The count of what one invocation does against Cloudflare's limits, and refuses or holds back what
// production would.
import type { AsyncLocalStorage } from "node:async_hooks";

/**
 * The Workers paid plan, Durable Objects and Queues, as of 2026-11 (the facts are in the design's
 * edge-facts).
 */
export const PRODUCTION = {
  headers_waiting_max: 6,
  subrequests_max: 10_000,
  message_bytes_max: 128_000,
  send_messages_max: 100,
  send_bytes_max: 256_000,
  after_disconnect_ms_max: 30_000,
} as const;

/** Where the limited Worker tells its report. */
export const PATH = "/__production_limits";

export interface LimitsReport {
  /** Work that production would have broken off, in words. */
  violations: string[];
  invocations: number;
  /**
   * Fetches and sends that had to wait because six of their invocation waited for headers, or for a
   * queue.
   */
  held_back: number;
  headers_waiting_max: number;
  /** Subrequests of one invocation: fetches, calls to Durable Objects, sends to a queue. */
  subrequests_max: number;
  message_bytes_max: number;
  after_disconnect_ms_max: number;
}

/** Work that production would have refused, cancelled or silently held back, in words. */
export function overrunsOf({ violations, held_back, headers_waiting_max }: LimitsReport): string[] {
  const waiting = headers_waiting_max > PRODUCTION.headers_waiting_max;
  return [
    ...violations,
    ...(held_back > 0 ? [`${held_back} connections held back behind six that waited`] : []),
    ...(waiting ? [`${headers_waiting_max} connections waited at once`] : []),
  ];
}

/** One request, one event of an object, one batch of a queue. An object's events share `slots`. */
export interface Invocation {
  subrequests: number;
  slots: Slots;
}

class Slots {
  waiting = 0;
  readonly queue: (() => void)[] = [];
}

type Fetch = typeof fetch;
type Message = { body: unknown };

export class Ledger {
  readonly #current: AsyncLocalStorage<Invocation>;
  readonly #objects = new WeakMap<object, Slots>();
  readonly #report: LimitsReport = {
    violations: [],
    invocations: 0,
    held_back: 0,
    headers_waiting_max: 0,
    subrequests_max: 0,
    message_bytes_max: 0,
    after_disconnect_ms_max: 0,
  };

  constructor(current: AsyncLocalStorage<Invocation>) {
    this.#current = current;
  }

  report(): LimitsReport {
    return this.#report;
  }

  /** Runs one invocation. `object`: of this Durable Object. */
  run<T>(work: () => T, object?: object): T {
    this.#report.invocations++;
    const slots = object === undefined ? new Slots() : (this.#objects.get(object) ?? new Slots());
    if (object !== undefined) this.#objects.set(object, slots);
    return this.#current.run({ subrequests: 0, slots }, work);
  }

  /**
   * A fetch of the Worker: counted, refused beyond the limit, and held back while six connections
   * wait.
   */
  async fetch(bare: Fetch, ...args: Parameters<Fetch>): Promise<Response> {
    this.subrequest();
    return this.#connected(() => bare(...args), args[1]?.signal);
  }

  /**
   * A send to a queue: checked as the queue would, counted, and held back while six connections
   * wait. @throws Error where it would be refused
   */
  async send<T>(messages: readonly Message[], bare: () => Promise<T>): Promise<T> {
    this.subrequest();
    this.#check(messages);
    return this.#connected(bare);
  }

  async #connected<T>(work: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    const invocation = this.#current.getStore();
    if (invocation === undefined) return work();
    const { slots } = invocation;
    if (slots.waiting >= PRODUCTION.headers_waiting_max) {
      this.#report.held_back++;
      await new Promise<void>((resolve) => slots.queue.push(resolve));
    }
    this.#report.headers_waiting_max = Math.max(this.#report.headers_waiting_max, ++slots.waiting);
    const release = once(() => {
      slots.waiting--;
      slots.queue.shift()?.();
    });
    // An aborted fetch waits for nothing any more, though its caller learns of that a moment later.
    signal?.addEventListener("abort", release);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Counts a fetch, a call to an object, a send to a queue. @throws Error beyond the limit */
  subrequest(): void {
    const invocation = this.#current.getStore();
    if (invocation === undefined) return;
    this.#report.subrequests_max = Math.max(this.#report.subrequests_max, ++invocation.subrequests);
    if (invocation.subrequests <= PRODUCTION.subrequests_max) return;
    throw this.#violation(`more than ${PRODUCTION.subrequests_max} subrequests`);
  }

  #check(messages: readonly Message[]): void {
    const sizes = messages.map(({ body }) => byteLength(body));
    this.#report.message_bytes_max = Math.max(this.#report.message_bytes_max, ...sizes);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const { message_bytes_max, send_messages_max, send_bytes_max } = PRODUCTION;
    if (sizes.some((size) => size > message_bytes_max))
      throw this.#violation(`a message over ${message_bytes_max} bytes`);
    if (sizes.length > send_messages_max) throw this.#violation(`more than ${send_messages_max} messages at once`);
    if (total > send_bytes_max) throw this.#violation(`messages of ${total} bytes at once`);
  }

  /** What is left to do when the client has gone may take 30 s; then production cancels it. */
  afterDisconnect(signal: AbortSignal, work: Promise<unknown>): void {
    // A client that went before this work was begun is counted from here.
    let goneAt: number | null = signal.aborted ? Date.now() : null;
    signal.addEventListener("abort", () => {
      goneAt = Date.now();
    });
    const ended = () => {
      if (goneAt === null) return;
      const took = Date.now() - goneAt;
      this.#report.after_disconnect_ms_max = Math.max(this.#report.after_disconnect_ms_max, took);
      if (took > PRODUCTION.after_disconnect_ms_max) this.#violation(`work of ${took} ms after the client had gone`);
    };
    work.then(ended, ended);
  }

  #violation(what: string): Error {
    this.#report.violations.push(what);
    return new Error(`production limit: ${what}`);
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

const encoder = new TextEncoder();
const byteLength = (body: unknown) => encoder.encode(typeof body === "string" ? body : JSON.stringify(body)).byteLength;
