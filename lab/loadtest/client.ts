// Sends a request's calls over kept connections and timing them.
import { type Dispatcher, Pool } from "undici";
import { NOTHING_READ, type Reading, type Transport, type Work } from "./kinds/kind.ts";

/**
 * How a request ended. `ok`: every call answered with 200 and readable. `timeout`: given up after
 * the limit. `unfinished`: given up because the run went on or ended. Else the code of what went
 * wrong.
 */
export interface Outcome {
  error: string | null;
  status: number | null;
  /**
   * On performance.now()'s clock: when the first call was written to its connection; null when none
   * was.
   */
  sent_at: number | null;
  /** When the first byte of a reply came. */
  first_byte_at: number | null;
  ended_at: number;
  reading: Reading;
}

export interface ClientOptions {
  /** With the path that all calls are below. */
  base_url: string;
  headers: Readonly<Record<string, string>>;
  /** Further calls wait for a free connection; their latency counts on. */
  connections_max: number;
  /** From the request's intended start. */
  timeout_ms: number;
}

/** A refusal is read up to here for its code. */
const REFUSAL_BYTES_MAX = 16_384;
const SWEEP_MS = 20;

/** The problem document's code, for refusals that have one. */
function refusalOf(status: number, body: readonly Uint8Array[]): string {
  try {
    const { code } = JSON.parse(Buffer.concat(body).toString()) as { code?: unknown };
    if (typeof code === "string" && /^[a-z_]{1,64}$/.test(code)) return `http_${status}_${code}`;
  } catch {
    // Not JSON: the status alone must do.
  }
  return `http_${status}`;
}

/** One call under way. */
class CallHandler implements Dispatcher.DispatchHandler {
  readonly #request: OpenRequest;
  readonly #reader: ReturnType<Work["calls"][number]["open"]>;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #server_timing: string | null = null;
  #sent_at = 0;
  #refusal: Uint8Array[] = [];
  #refusalBytes = 0;

  constructor(request: OpenRequest, reader: ReturnType<Work["calls"][number]["open"]>) {
    this.#request = request;
    this.#reader = reader;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#request.isOver) {
      controller.abort(new Error("given up"));
      return;
    }
    this.#sent_at = performance.now();
    this.#request.sent(this.#sent_at);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    this.#status = status;
    const timing = headers["server-timing"];
    this.#server_timing = typeof timing === "string" ? timing : null;
    this.#request.answered(status, performance.now());
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#status === 200) {
      this.#reader.push(bytes, performance.now());
    } else if (this.#refusalBytes < REFUSAL_BYTES_MAX) {
      this.#refusal.push(bytes);
      this.#refusalBytes += bytes.byteLength;
    }
  }

  onResponseEnd(): void {
    const ended_at = performance.now();
    if (this.#status === 200) {
      const transport = { server_timing: this.#server_timing, sent_at: this.#sent_at, ended_at };
      this.#request.finished(this, this.#reader, transport);
    } else {
      this.#request.failed(refusalOf(this.#status, this.#refusal), ended_at);
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    this.#request.failed(`connection_${(error.code ?? error.name).toLowerCase()}`, performance.now());
  }

  abort(): void {
    this.#controller?.abort(new Error("given up"));
  }
}

/** One request: settles once, with its last call or its first fault. */
class OpenRequest {
  readonly due_at: number;
  readonly #work: Work;
  readonly #settle: (outcome: Outcome) => void;
  readonly #calls: CallHandler[];
  readonly #readings: { reading: Reading; ended_at: number }[];
  #left: number;
  #status: number | null = null;
  #sent_at: number | null = null;
  #first_byte_at: number | null = null;
  isOver = false;

  constructor(work: Work, due_at: number, settle: (outcome: Outcome) => void) {
    this.due_at = due_at;
    this.#work = work;
    this.#settle = settle;
    this.#left = work.calls.length;
    this.#readings = new Array(work.calls.length);
    this.#calls = work.calls.map((call) => new CallHandler(this, call.open()));
  }

  get calls(): readonly CallHandler[] {
    return this.#calls;
  }

  sent(at: number): void {
    this.#sent_at ??= at;
  }

  answered(status: number, at: number): void {
    this.#status ??= status;
    this.#first_byte_at ??= at;
  }

  finished(call: CallHandler, reader: { finish(transport: Transport): Reading }, transport: Transport): void {
    if (this.isOver) return;
    const reading = reader.finish(transport);
    this.#readings[this.#calls.indexOf(call)] = { reading, ended_at: transport.ended_at };
    if (reading.fault !== null) this.#end(reading.fault, transport.ended_at, reading);
    else if (--this.#left === 0) this.#end(null, transport.ended_at, this.#work.combine(this.#readings));
  }

  failed(error: string, ended_at: number): void {
    this.#end(error, ended_at, NOTHING_READ);
  }

  #end(error: string | null, ended_at: number, reading: Reading): void {
    if (this.isOver) return;
    this.isOver = true;
    const [status, sent_at, first_byte_at] = [this.#status, this.#sent_at, this.#first_byte_at];
    if (error !== null) for (const call of this.#calls) call.abort();
    this.#settle({ error, status, sent_at, first_byte_at, ended_at, reading });
  }
}

/** The connections to one target. */
export class LoadClient {
  readonly #options: ClientOptions;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Record<string, string>;
  readonly #open = new Set<OpenRequest>();
  readonly #sweep: NodeJS.Timeout;
  #idle: (() => void)[] = [];

  constructor(options: ClientOptions) {
    const { origin, pathname } = new URL(options.base_url);
    this.#options = options;
    this.#path = pathname.replace(/\/$/, "");
    this.#headers = { "content-type": "application/json", ...options.headers };
    // Without separate time-outs: the sweep's counts from the intended start, and covers waiting for a
    // connection.
    const limits = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: options.timeout_ms } };
    this.#pool = new Pool(origin, { connections: options.connections_max, pipelining: 1, ...limits });
    this.#sweep = setInterval(() => this.#giveUpOld(), SWEEP_MS);
  }

  get in_flight(): number {
    return this.#open.size;
  }

  /**
   * Sends all calls of one request now. `mark` goes where the bodies have a place for it. `settle`
   * is called once.
   */
  send(work: Work, mark: string, due_at: number, settle: (outcome: Outcome) => void): void {
    const request = new OpenRequest(work, due_at, (outcome) => {
      this.#open.delete(request);
      settle(outcome);
      if (this.#open.size === 0) for (const wake of this.#idle.splice(0)) wake();
    });
    this.#open.add(request);
    work.calls.forEach(({ path, body }, at) => {
      const text = body.length === 1 ? (body[0] as string) : body.join(mark);
      const target = { method: "POST", path: this.#path + path, headers: this.#headers, body: text } as const;
      this.#pool.dispatch(target, request.calls[at] as CallHandler);
    });
  }

  /**
   * Resolves once nothing is under way; after `limit_ms` what is left is given up as `unfinished`.
   */
  async drain(limit_ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#idle.push(resolve));
    const limit = setTimeout(() => {
      for (const request of [...this.#open]) request.failed("unfinished", performance.now());
    }, limit_ms);
    await idle;
    clearTimeout(limit);
  }

  #giveUpOld(): void {
    const now = performance.now();
    // In order of their starts, so the first that is young enough ends the search.
    for (const request of this.#open) {
      if (now - request.due_at < this.#options.timeout_ms) return;
      request.failed("timeout", now);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#pool.destroy();
  }
}
