// Owns when a room's storage is flushed: a little later and all together. A commit on the way to
// the verifier would cost the trainer more than a restart loses.

export class LaterFlush {
  readonly #flush: () => void;
  readonly #now: () => number;
  #next: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;

  /** `now` in ms since 1970. */
  constructor(flush: () => void, now: () => number) {
    this.#flush = flush;
    this.#now = now;
  }

  /**
   * Stores what has changed within so many ms. A sample lost so comes again with its request; a
   * verdict lost so is asked again.
   */
  within(ms: number): void {
    const at = this.#now() + ms;
    if (this.#next !== null && this.#next.at <= at) return;
    if (this.#next !== null) clearTimeout(this.#next.timer);
    this.#next = { at, timer: setTimeout(() => this.flush(), ms) };
  }

  flush(): void {
    if (this.#next !== null) clearTimeout(this.#next.timer);
    this.#next = null;
    this.#flush();
  }
}
