// The reply's body: events as lines of JSON, gathered while the reader is busy, bounded by asking the writer
// to hold on.
import type { ServerResponse } from "node:http";
import type { VerifyEvent } from "../../../src/core/wire/verify-protocol.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";

const NDJSON = [
  "content-type",
  "application/x-ndjson; charset=utf-8",
  "cache-control",
  "no-store",
  "x-accel-buffering",
  "no",
];

export interface EventStreamOptions {
  /** Goes into the head. */
  request_id: string;
  /** The reader has gone, or was given up as stalled. */
  onCancel: () => void;
  /** The reader has caught up after `full`. */
  onDrain: () => void;
}

/**
 * Lines are written together when the event loop turns: one packet for all answers that came in
 * one, and the head goes with the first. node:http rather than a web stream, for its CPU.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  #lines = "";
  /** The reader has not taken what was written. */
  #busy = false;
  #scheduled = false;
  #full = false;
  #ended = false;
  #gone = false;
  #stalled: NodeJS.Timeout | null = null;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    response.on("drain", () => this.#onDrain());
    response.on("close", () => this.#onClose());
  }

  /** Whether so much is waiting for the reader that nothing more should be produced. */
  get full(): boolean {
    return this.#full;
  }

  write(event: VerifyEvent): void {
    if (this.#gone || this.#ended) return;
    this.#lines += `${JSON.stringify(event)}\n`;
    this.#full = this.#lines.length > GATEWAY_LIMITS.reply_buffer_chars;
    this.#schedule();
  }

  /** No event follows. A reader that does not take the rest in time is given up. */
  end(): void {
    if (this.#gone || this.#ended) return;
    this.#ended = true;
    this.#head();
    this.#response.end(this.#lines);
    this.#lines = "";
    if (this.#response.writableFinished) return;
    this.#stalled = setTimeout(() => this.#response.destroy(), GATEWAY_LIMITS.stalled_reader_ms);
    this.#stalled.unref();
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#gone || this.#ended || this.#busy || this.#lines === "") return;
    this.#head();
    this.#busy = !this.#response.write(this.#lines);
    this.#lines = "";
    if (!this.#full) return;
    this.#full = false;
    this.#options.onDrain();
  }

  #head(): void {
    if (this.#response.headersSent) return;
    // Said outright, the server does not wait to see whether the body is short enough for a length.
    const framing = ["transfer-encoding", "chunked"];
    this.#response.writeHead(200, [...NDJSON, ...framing, "x-request-id", this.#options.request_id]);
  }

  #onDrain(): void {
    this.#busy = false;
    this.#flush();
  }

  /** Comes after a reply that was taken whole too. */
  #onClose(): void {
    this.#gone = true;
    this.#lines = "";
    if (this.#stalled !== null) clearTimeout(this.#stalled);
    if (!this.#response.writableFinished) this.#options.onCancel();
  }
}
