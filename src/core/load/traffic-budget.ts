// How much traffic beyond the first attempts may be sent to one backend: a share of the recent past, so that
// trouble cannot multiply it. Must not know what the extra traffic is for.
import { RollingCounts } from "./rolling-counts.ts";

interface TrafficBudgetOptions {
  window_ms: number;
  /** Extra requests allowed for each first attempt in the window, 0..1. */
  share: number;
  /**
   * Extra requests allowed in any window however little was sent: a lone request must be able to be
   * retried.
   */
  floor: number;
}

/**
 * As Finagle's retry budget: at most `share` of the window's first attempts, and at least `floor`,
 * may be sent again. The traffic is at most 1 + share times what was asked, floor apart, however
 * much more each caller would send.
 */
export class TrafficBudget {
  readonly #options: TrafficBudgetOptions;
  readonly #counts: RollingCounts<"first" | "extra">;

  constructor(options: TrafficBudgetOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.window_ms);
  }

  /** A first attempt was sent. */
  sent(now: number): void {
    this.#counts.add("first", now);
  }

  /** Takes one extra request out of the budget; false when there is none left. */
  take(now: number): boolean {
    const { share, floor } = this.#options;
    const allowed = Math.max(floor, Math.floor(this.#counts.sum("first", now) * share));
    if (this.#counts.sum("extra", now) >= allowed) return false;
    this.#counts.add("extra", now);
    return true;
  }
}
