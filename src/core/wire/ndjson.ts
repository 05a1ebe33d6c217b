// Splits the bytes of a streamed reply into lines. Must not depend on the content of the lines or the source
// of the bytes.
import { Remainder } from "./chat-stream.ts";

/** Splits bytes into lines and passes each line that is not blank to `onLine`. */
export class LineSplitter {
  readonly #onLine: (line: string) => boolean;
  readonly #remainder = new Remainder();

  /** @param onLine returns false to stop */
  constructor(onLine: (line: string) => boolean) {
    this.#onLine = onLine;
  }

  /** @returns false once `onLine` has returned false. @throws LineTooLong */
  push(bytes: Uint8Array): boolean {
    const text = this.#remainder.lines(bytes);
    return text === null || this.#lines(text);
  }

  /** Ends the body. A last line without a line break still counts. */
  end(): void {
    this.#lines(`${this.#remainder.take()}\n`);
  }

  #lines(text: string): boolean {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = text.slice(start, end).trim();
      if (line !== "" && !this.#onLine(line)) return false;
      start = end + 1;
    }
    return true;
  }
}
