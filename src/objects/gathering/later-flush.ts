// Batches a room's storage writes and flushes them a little later. A commit on the way to the verifier would
// cost the trainer more than what a restart can lose.
import { systemClock } from "../../platform/clock.ts";

export class LaterFlush {
  readonly #flush: () => void;
  readonly #now: () => number;
  #next: { at: number; cancel(): void } | null = null;

  /** @param now clock in ms since 1970 */
  constructor(flush: () => void, now: () => number) {
    this.#flush = flush;
    this.#now = now;
  }

  /**
   * Flushes changes within `ms`. After a restart an unsaved sample arrives again with its request, and an
   * unsaved verdict is asked again.
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
