// Batches storage writes and flushes them a little later. Committing each write before calling the verifier
// would delay every request, whereas the writes that a restart loses can be recovered.
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
   * Flushes changes within `ms`. If a restart loses them, requests send their samples again, and verdicts are
   * asked for again.
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
