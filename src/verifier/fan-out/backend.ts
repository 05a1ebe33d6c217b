// The state of one backend that an isolate keeps between requests: circuit breaker, budgets for retries and
// hedges, recent latencies. Independent of HTTP, sessions and timers.

import { LIMITS } from "../../core/faults/limits.ts";
import type { BreakerDecision } from "../../core/load/breaker.ts";
import { KeyedBreaker } from "../../core/load/keyed-breaker.ts";
import { RecentLatencies } from "../../core/load/recent-latencies.ts";
import { RetryBudget } from "../../core/load/retry-budget.ts";
import { TrafficBudget } from "../../core/load/traffic-budget.ts";
import type { BackendStatus } from "../../core/wire/questions.ts";

interface BackendOptions {
  /** Name from the configuration, reported with each verdict. */
  name: string;
  /** Whether stragglers may be hedged. */
  hedging: boolean;
}

/**
 * Holds only numbers and no I/O objects, so that all requests of an isolate may share a Backend. `now` is
 * always in ms of the same clock.
 */
export class Backend {
  readonly name: string;
  readonly #hedging: boolean;
  readonly #retries = new RetryBudget({
    window_ms: LIMITS.retry_budget_window_ms,
    share: LIMITS.retry_budget_percent / 100,
    burst: LIMITS.retry_budget_floor,
  });
  readonly #hedges = new TrafficBudget({
    window_ms: LIMITS.hedge_window_ms,
    share: LIMITS.hedge_percent / 100,
    floor: 0,
  });
  readonly #breaker = new KeyedBreaker({
    window_ms: LIMITS.breaker_window_ms,
    volume_min: LIMITS.breaker_volume_min,
    failure_share: LIMITS.breaker_failure_percent / 100,
    open_ms: LIMITS.breaker_open_ms,
    probe_ms: LIMITS.breaker_probe_ms,
    poll_ms: LIMITS.breaker_poll_ms,
  });
  readonly #firstBytes = new RecentLatencies(LIMITS.hedge_samples_min);
  #refusedAt: number | null = null;
  #sends = 0;
  #answers = 0;
  #counts = { requests: 0, retries: 0, retries_denied: 0, hedges: 0, hedges_won: 0 };

  constructor({ name, hedging }: BackendOptions) {
    this.name = name;
    this.#hedging = hedging;
  }

  status(now: number): BackendStatus {
    return { name: this.name, breaker: this.#breaker.state(now), ...this.#counts };
  }

  /** Number of requests so far. */
  get sends(): number {
    return this.#sends;
  }

  /** Number of the latest request that was answered. */
  get answered_number(): number {
    return this.#answers;
  }

  /** Assigns the number of a request that is about to be sent, from 1. */
  number(): number {
    return ++this.#sends;
  }

  /** Asks the breaker for a permit to send one question of a tenant (see VerifierCall). */
  admit(now: number, tenant = ""): BreakerDecision {
    return this.#breaker.admit(now, tenant);
  }

  /** Time until the breaker admits a request of the tenant, ms. */
  waitMs(now: number, tenant = ""): number {
    return this.#breaker.waitMs(now, tenant);
  }

  /** Records that a question was sent for the first time. */
  sent(now: number): void {
    this.#counts.requests++;
    this.#hedges.sent(now);
  }

  /**
   * Records an answered request.
   * @param retry whether its question had failed before
   */
  answered(number: number, retry: boolean): void {
    this.#answers = Math.max(this.#answers, number);
    this.#retries.answered(retry);
  }

  /** Records the latency to an answer's first byte. */
  began(latency_ms: number): void {
    this.#firstBytes.add(latency_ms);
  }

  /**
   * Records the end of a request.
   * @param good whether the backend works, even if it is busy
   */
  ended(good: boolean, now: number, probe: boolean, tenant = ""): void {
    this.#breaker.record(good, now, probe, tenant);
  }

  /** Records that the tenant's probe was aborted with its request. */
  probeLost(now: number, tenant = ""): void {
    this.#breaker.forget(now, tenant);
  }

  /** Records that the backend reported being busy. */
  refused(now: number): void {
    this.#refusedAt = now;
  }

  /**
   * Takes one permit from the retry budget.
   * @returns 0, or the time in ms until the next permit
   */
  retryMs(now: number): number {
    const wait = this.#retries.take(now);
    if (wait === 0) this.#counts.retries++;
    else this.#counts.retries_denied++;
    return wait;
  }

  /**
   * Latency to the first byte after which a request counts as a straggler, ms. Null while unknown, if
   * hedging is off, or if the remaining time is too short for a second copy to begin.
   */
  stragglerMs(remaining_ms: number | null): number | null {
    const p95 = this.#hedging ? this.#firstBytes.p95 : null;
    const after_ms = p95 === null ? null : Math.max(LIMITS.hedge_after_ms_min, p95);
    return after_ms === null || (remaining_ms !== null && remaining_ms < 2 * after_ms) ? null : after_ms;
  }

  /**
   * Takes a permit for a second copy of a straggler. Denied while the backend was busy recently, since
   * the copy would only queue behind the original.
   */
  mayHedge(now: number, tenant = ""): boolean {
    const busy = this.#refusedAt !== null && now - this.#refusedAt < LIMITS.hedge_quiet_ms;
    const may = !busy && this.#breaker.state(now, tenant) === "closed" && this.#hedges.take(now);
    if (may) this.#counts.hedges++;
    return may;
  }

  hedgeWon(): void {
    this.#counts.hedges_won++;
  }
}
