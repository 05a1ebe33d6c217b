// Lets callers of a Durable Object wait for its next change.
import type { Timers } from "../../ports/ports.ts";

export class Waiters {
  readonly #timers: Timers;
  readonly #waiting = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Resolves at the next `notify`, at the latest after `within_ms`. */
  async wait(within_ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.after(within_ms, resolve);
    this.#waiting.add(resolve);
    await promise;
    cancel();
    this.#waiting.delete(resolve);
  }

  notify(): void {
    for (const resolve of this.#waiting) resolve();
  }
}
