// Limits the extra traffic to one backend (requests beyond first attempts) to a share of recent traffic, so
// that retries cannot amplify an outage. Independent of what the extra traffic is for.
import { RollingCounts } from "./rolling-counts.ts";

interface TrafficBudgetOptions {
  window_ms: number;
  /** Extra requests allowed per first attempt in the window, 0..1. */
  share: number;
  /** Number of extra requests always allowed per window, so that even a single request can be retried. */
  floor: number;
}

/**
 * A retry budget like Finagle's: extra requests are limited to `share` of the window's first attempts, but at
 * least `floor`. Total traffic is therefore at most (1 + share) times the first attempts, plus the floor,
 * however many retries callers request.
 */
export class TrafficBudget {
  readonly #options: TrafficBudgetOptions;
  readonly #counts: RollingCounts<"first" | "extra">;

  constructor(options: TrafficBudgetOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.window_ms);
  }

  /** Records a first attempt. */
  sent(now: number): void {
    this.#counts.add("first", now);
  }

  /** Takes one extra request from the budget; returns false if none is left. */
  take(now: number): boolean {
    const { share, floor } = this.#options;
    const allowed = Math.max(floor, Math.floor(this.#counts.sum("first", now) * share));
    if (this.#counts.sum("extra", now) >= allowed) return false;
    this.#counts.add("extra", now);
    return true;
  }
}
