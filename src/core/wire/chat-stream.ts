// Splits the bytes of a streamed reply into complete lines, and the lines into server-sent events. Must not
// depend on the content of the events or the source of the bytes.
import { LIMITS } from "../faults/limits.ts";

const NEWLINE = 10;
const COLON = 58;
const BYTE_ORDER_MARK = 0xfeff;

/** Thrown if a line, or a JSON document, is longer than `reply_line_bytes`. */
export class LineTooLong extends Error {}

const NO_BYTES = new Uint8Array(0);

/**
 * Replaces invalid UTF-8 with U+FFFD, which can make an answer unreadable but never throws. Keeps byte order
 * marks, because the decoder would otherwise drop one per call.
 */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * Bytes that are carried over from one chunk to the next. They are bounded by `reply_line_bytes` and joined
 * only once. Only whole lines or the whole body are decoded, so a character that is split between two chunks
 * stays intact. A byte order mark is dropped at the start of the body and kept elsewhere.
 */
export class Remainder {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #begun = false;

  /** Keeps a copy of the bytes. @throws LineTooLong */
  keep(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.#bytes += bytes.byteLength;
    if (this.#bytes > LIMITS.reply_line_bytes) throw new LineTooLong();
    this.#pieces.push(bytes.slice());
  }

  /**
   * Returns the complete lines that end in `bytes`, including the bytes kept before, and keeps the rest.
   * Returns null if no line ends there. @throws LineTooLong
   */
  lines(bytes: Uint8Array): string | null {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const text = end === 0 ? null : this.take(bytes.subarray(0, end));
    this.keep(bytes.subarray(end));
    return text;
  }

  /** Decodes the kept bytes followed by `bytes`, and clears the kept bytes. */
  take(bytes: Uint8Array = NO_BYTES): string {
    if (this.#bytes === 0) return this.#text(bytes);
    const joined = new Uint8Array(this.#bytes + bytes.byteLength);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.byteLength;
    }
    joined.set(bytes, at);
    this.#pieces = [];
    this.#bytes = 0;
    return this.#text(joined);
  }

  #text(bytes: Uint8Array): string {
    const text = decoder.decode(bytes);
    const marked = !this.#begun && text.charCodeAt(0) === BYTE_ORDER_MARK;
    this.#begun = true;
    return marked ? text.slice(1) : text;
  }
}

/**
 * Splits bytes into events (HTML Living Standard, 9.2.6) and passes the data of each event to `onData`. Drops
 * comments and all fields except `data`. More lenient than the standard at the end of the body: an event
 * without its final blank line still counts.
 */
export class EventSplitter {
  readonly #onData: (data: string) => boolean;
  readonly #remainder = new Remainder();
  #data: string | null = null;

  /** @param onData returns false to stop */
  constructor(onData: (data: string) => boolean) {
    this.#onData = onData;
  }

  /** @returns false once `onData` has returned false. @throws LineTooLong */
  push(bytes: Uint8Array): boolean {
    const text = this.#remainder.lines(bytes);
    return text === null || this.#lines(text);
  }

  /** Ends the body and dispatches a pending event. */
  end(): void {
    if (this.#lines(`${this.#remainder.take()}\n`)) this.#dispatch();
  }

  #lines(raw: string): boolean {
    const text = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (end === start) {
        if (!this.#dispatch()) return false;
      } else if (text.charCodeAt(start) !== COLON && text.startsWith("data:", start)) {
        const value = text.slice(start + (text[start + 5] === " " ? 6 : 5), end);
        this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
      }
      start = end + 1;
    }
    return true;
  }

  #dispatch(): boolean {
    const data = this.#data;
    if (data === null) return true;
    this.#data = null;
    return this.#onData(data);
  }
}
