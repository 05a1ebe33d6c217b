// Decides when a room's storage is flushed: a little later and all together. A commit on the way to the
// verifier would cost the trainer more than a restart loses.
import { systemClock } from "../../platform/clock.ts";

export class LaterFlush {
  readonly #flush: () => void;
  readonly #now: () => number;
  #next: { at: number; cancel(): void } | null = null;

  /** `now` in ms since 1970. */
  constructor(flush: () => void, now: () => number) {
    this.#flush = flush;
    this.#now = now;
  }

  /**
   * Stores changes within this many ms. A sample lost so comes again with its request; a verdict lost so is
   * asked again.
   */
  within(ms: number): void {
    const at = this.#now() + ms;
    if (this.#next !== null && this.#next.at <= at) return;
    this.#next?.cancel();
    this.#next = { at, cancel: systemClock.after(ms, () => this.flush()) };
  }

  flush(): void {
    this.#next?.cancel();
    this.#next = null;
    this.#flush();
  }
}
