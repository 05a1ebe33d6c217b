// The retry budget of one backend: limits retries to a rate that grows with the backend's answers.
// Independent of what is retried.

interface RetryBudgetOptions {
  /** Number of retries that may be sent at once; the budget refills evenly over `window_ms`. */
  burst: number;
  window_ms: number;
  /** Additional retries earned by each answer, 0..1. */
  share: number;
}

/**
 * A token bucket (like the retry throttling of gRPC and the AWS SDKs). A retry takes a token and returns it
 * when it is answered; every answer also earns `share` of a token. Successful retries are therefore almost
 * free, while a backend that only fails gets at most `burst` retries per window. The budget delays retries
 * but never forbids them: callers with time left wait for a token.
 */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  #tokens: number;
  #at: number | null = null;

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#tokens = options.burst;
  }

  /**
   * Records an answer.
   * @param retry whether the question was a retry
   */
  answered(retry: boolean): void {
    const { burst, share } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + share + (retry ? 1 : 0));
  }

  /**
   * Takes one retry from the budget.
   * @param now current time in ms, always from the same clock
   * @returns 0 if the retry may be sent, else the time until one is available, in ms
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
