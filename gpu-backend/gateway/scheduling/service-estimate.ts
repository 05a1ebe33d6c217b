// Measured service time and tokens per generation, used to estimate how long given work takes.
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";

/** Weight of a new answer once there are enough answers; before that, the plain mean is used. */
const WEIGHT = 1 / 64;

/** Exponentially weighted means over complete answers. */
export class ServiceEstimate {
  readonly #now: () => number;
  #answers = 0;
  #at = 0;
  #ms = 0;
  #completion_tokens = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a complete generation. */
  record(total_ms: number, completion_tokens: number): void {
    const weight = Math.max(WEIGHT, 1 / ++this.#answers);
    this.#ms += weight * (total_ms - this.#ms);
    this.#completion_tokens += weight * (completion_tokens - this.#completion_tokens);
    this.#at = this.#now();
  }

  /** Expected completion tokens of a generation. */
  completionTokens(max_tokens: number): number {
    const mean = this.#answers === 0 ? GATEWAY_LIMITS.completion_tokens_guess : this.#completion_tokens;
    return Math.min(max_tokens, mean);
  }

  /**
   * Mean time of a generation at the engine, in ms. Null if the measurements are too few or too old to reject
   * a request.
   */
  serviceMs(max_tokens: number): number | null {
    if (this.#answers < GATEWAY_LIMITS.estimate_answers_min) return null;
    if (this.#now() - this.#at > GATEWAY_LIMITS.estimate_age_max_ms) return null;
    return this.#ms * Math.min(1, max_tokens / Math.max(1, this.#completion_tokens));
  }
}
