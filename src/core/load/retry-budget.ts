// How fast what failed may be asked again of one backend: a rate that grows with what the backend answers.
// Must not know what is asked.

interface RetryBudgetOptions {
  /** Retries that may go at once, and that come free again, evenly, within `window_ms`. */
  burst: number;
  window_ms: number;
  /** Further retries for each answer, 0..1. */
  share: number;
}

/**
 * A token bucket (as gRPC's and the AWS SDKs' retry throttling): a retry takes a token, and gets it
 * back when it is answered; every answer brings `share` of one besides. Retries that help are as
 * good as free; of a backend that only fails, no more than `burst` a window are sent. It says when
 * a retry may go, never that one may not: whoever has time waits for its turn.
 */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  #tokens: number;
  #at: number | null = null;

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#tokens = options.burst;
  }

  /** A question was answered; `retry`: it had been asked before. */
  answered(retry: boolean): void {
    const { burst, share } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + share + (retry ? 1 : 0));
  }

  /**
   * Takes one retry out of the budget. @returns 0, or for how many ms there is none; times are ms
   * of one clock
   */
  take(now: number): number {
    const { burst, window_ms } = this.#options;
    const since = this.#at === null ? 0 : Math.max(0, now - this.#at);
    this.#at = now;
    this.#tokens = Math.min(burst, this.#tokens + (since * burst) / window_ms);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * window_ms) / burst);
    this.#tokens--;
    return 0;
  }
}
