// The circuit breakers of one backend, one per key, with rules for when the failures of some keys open the
// breakers of others. Independent of sessions, HTTP and clocks.
import { Breaker, type BreakerDecision, type BreakerOptions, type BreakerState } from "./breaker.ts";

/** Maximum number of keys; the least recently used key is evicted. */
const KEYS_MAX = 256;

/**
 * One breaker per key, so that failures caused by one key's questions stop only that key. The breakers of all
 * other keys without a recent success, and of new keys, open too if the failing keys together reach the
 * weight of `volume_min` outcomes. A single key has at most half that weight, so at least two keys must fail.
 * Each breaker closes after a successful probe for its own key. Without keys ("") there is a single breaker.
 */
export class KeyedBreaker {
  readonly #options: BreakerOptions;
  readonly #weight_max: number;
  /** Least recently used first. */
  readonly #breakers = new Map<string, Breaker>();
  #latest: { key: string; breaker: Breaker } | null = null;
  /** Time at which the breakers of all keys last opened; null if they never did. */
  #openedAt: number | null = null;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#weight_max = options.volume_min / 2;
  }

  /**
   * The state for one key. Without a key, `open` means that the breaker is open for all keys, or for every
   * known key.
   */
  state(now: number, key?: string): BreakerState {
    if (key !== undefined) return this.#breakerFor(key, now).state(now);
    if (this.#openForAll(now)) return "open";
    const states = new Set([...this.#breakers.values()].map((breaker) => breaker.state(now)));
    return states.has("closed") || states.size === 0 ? "closed" : states.has("half_open") ? "half_open" : "open";
  }

  /** Like `Breaker.admit`, for one key. */
  admit(now: number, key: string): BreakerDecision {
    return this.#breakerFor(key, now).admit(now);
  }

  waitMs(now: number, key: string): number {
    return this.#breakerFor(key, now).waitMs(now);
  }

  forget(now: number, key: string): void {
    this.#breakerFor(key, now).forget();
  }

  record(good: boolean, now: number, probe: boolean, key: string): void {
    const breaker = this.#breakerFor(key, now);
    breaker.record(good, now, probe);
    // Above this count, further failures of a key add no weight.
    if (good || probe || breaker.seen(now).bad > this.#options.volume_min || this.#openForAll(now)) return;
    this.#weigh(now);
  }

  #weigh(now: number): void {
    const { failure_share, volume_min } = this.#options;
    let failing = 0;
    let all = 0;
    for (const breaker of this.#breakers.values()) {
      const weight = Math.min(this.#weight_max, this.#weightOf(breaker, now));
      all += weight;
      if (this.#fails(breaker, now)) failing += weight;
    }
    if (failing < volume_min || failing < all * failure_share) return;
    this.#openedAt = now;
    for (const breaker of this.#breakers.values()) if (breaker.seen(now).good === 0) breaker.open(now);
  }

  #fails(breaker: Breaker, now: number): boolean {
    const { good, bad } = breaker.seen(now);
    return breaker.state(now) !== "closed" || (bad > 0 && bad >= (good + bad) * this.#options.failure_share);
  }

  /** An open breaker has the maximum weight. */
  #weightOf(breaker: Breaker, now: number): number {
    if (breaker.state(now) !== "closed") return this.#weight_max;
    const { good, bad } = breaker.seen(now);
    return good + bad;
  }

  #openForAll(now: number): boolean {
    return this.#openedAt !== null && now < this.#openedAt + this.#options.open_ms;
  }

  #breakerFor(key: string, now: number): Breaker {
    if (key === this.#latest?.key) return this.#latest.breaker;
    const known = this.#breakers.get(key);
    const breaker = known ?? new Breaker(this.#options);
    if (known === undefined && this.#openForAll(now)) breaker.open(this.#openedAt as number);
    this.#breakers.delete(key);
    this.#breakers.set(key, breaker);
    if (this.#breakers.size > KEYS_MAX) this.#breakers.delete(this.#breakers.keys().next().value as string);
    this.#latest = { key, breaker };
    return breaker;
  }
}
