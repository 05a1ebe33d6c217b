// The retry budget of one backend: limits retries to a rate that grows with the backend's answers. Must not
// know what is retried.

interface RetryBudgetOptions {
  /** Retries that may be sent at once; the budget refills evenly within `window_ms`. */
  burst: number;
  window_ms: number;
  /** Additional retries earned per answer, 0..1. */
  share: number;
}

/**
 * A token bucket (like the retry throttling of gRPC and the AWS SDKs). A retry takes a token and returns it
 * when it is answered; every answer also earns `share` of a token. Successful retries are therefore almost
 * free, while a backend that only fails gets at most `burst` retries per window. The budget delays retries
 * but never forbids one: callers with time left wait their turn.
 */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  #tokens: number;
  #at: number | null = null;

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#tokens = options.burst;
  }

  /** Records an answer; `retry`: the question was a retry. */
  answered(retry: boolean): void {
    const { burst, share } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + share + (retry ? 1 : 0));
  }

  /**
   * Takes one retry out of the budget.
   * @param now ms of one clock
   * @returns 0, or the time until a retry is available, ms
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
