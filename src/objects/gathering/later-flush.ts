// Batches storage writes and flushes them a little later. Committing each write before calling the verifier
// would delay every request, whereas the writes that a restart loses can be recovered.
import type { Timers } from "../../ports/ports.ts";

export class LaterFlush {
  readonly #flush: () => void;
  readonly #timers: Timers;
  #next: { at: number; cancel(): void } | null = null;

  constructor(flush: () => void, timers: Timers) {
    this.#flush = flush;
    this.#timers = timers;
  }

  /**
   * Flushes changes within `ms`. If a restart loses them, requests send their samples again, and verdicts are
   * asked for again.
   */
  within(ms: number): void {
    const at = this.#timers.now() + ms;
    if (this.#next !== null && this.#next.at <= at) return;
    this.#next?.cancel();
    this.#next = { at, cancel: this.#timers.after(ms, () => this.flush()) };
  }

  flush(): void {
    this.#next?.cancel();
    this.#next = null;
    this.#flush();
  }
}
