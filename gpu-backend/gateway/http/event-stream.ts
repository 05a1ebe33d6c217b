// The reply body: events as JSON lines. Lines are buffered while the reader is busy, and `full` applies
// back-pressure to the writer.
import type { ServerResponse } from "node:http";
import type { VerifyEvent } from "../../../src/core/wire/verify-protocol.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import { afterTurn } from "../timers/gateway-timers.ts";

const NDJSON = [
  "content-type",
  "application/x-ndjson; charset=utf-8",
  "cache-control",
  "no-store",
  "x-accel-buffering",
  "no",
];

export interface EventStreamOptions {
  /** Sent in the `x-request-id` header. */
  request_id: string;
  /** Called when the reader disconnects or is dropped as stalled. */
  onCancel: () => void;
  /** Called when the reader has caught up after `full`. */
  onDrain: () => void;
  timers: Timers;
}

/**
 * Lines are written once per turn of the event loop, so answers that arrive together share a packet, and the
 * headers go out with the first line. Uses node:http instead of a web stream because it needs less CPU.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  #lines = "";
  /** Whether the reader has not yet accepted the last write. */
  #busy = false;
  #scheduled = false;
  #full = false;
  #ended = false;
  #gone = false;
  /** Cancels the timer that disconnects a stalled reader. */
  #endStall = () => {};

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    response.on("drain", () => this.#onDrain());
    response.on("close", () => this.#onClose());
  }

  /** Whether the buffer is full and nothing more should be produced. */
  get full(): boolean {
    return this.#full;
  }

  write(event: VerifyEvent): void {
    if (this.#gone || this.#ended) return;
    this.#lines += `${JSON.stringify(event)}\n`;
    this.#full = this.#lines.length > GATEWAY_LIMITS.reply_buffer_chars;
    this.#schedule();
  }

  /** Ends the reply. A reader that does not receive the remaining lines in time is disconnected. */
  end(): void {
    if (this.#gone || this.#ended) return;
    this.#ended = true;
    this.#head();
    this.#response.end(this.#lines);
    this.#lines = "";
    if (this.#response.writableFinished) return;
    const { timers } = this.#options;
    this.#endStall = timers.after(GATEWAY_LIMITS.stalled_reader_ms, () => this.#response.destroy());
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    afterTurn(() => {
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
    // With an explicit encoding, Node does not wait to find out whether the body is short enough for a
    // Content-Length.
    const framing = ["transfer-encoding", "chunked"];
    this.#response.writeHead(200, [...NDJSON, ...framing, "x-request-id", this.#options.request_id]);
  }

  #onDrain(): void {
    this.#busy = false;
    this.#flush();
  }

  /** Called whenever the connection closes, even after a complete reply. */
  #onClose(): void {
    this.#gone = true;
    this.#lines = "";
    this.#endStall();
    if (!this.#response.writableFinished) this.#options.onCancel();
  }
}
