// Defines what an isolate remembers of one backend between requests: its breaker, its budgets of extra
// traffic, its recent latencies. Must not know HTTP, sessions or timers.

import { LIMITS } from "../../core/faults/limits.ts";
import type { BreakerDecision } from "../../core/load/breaker.ts";
import { KeyedBreaker } from "../../core/load/keyed-breaker.ts";
import { RecentLatencies } from "../../core/load/recent-latencies.ts";
import { RetryBudget } from "../../core/load/retry-budget.ts";
import { TrafficBudget } from "../../core/load/traffic-budget.ts";
import type { BackendStatus } from "../../core/wire/questions.ts";

interface BackendOptions {
  /** As in the configuration; the name on every verdict. */
  name: string;
  /** Whether stragglers may be asked a second time. */
  hedging: boolean;
}

/**
 * Plain numbers only, no I/O of any request, so that all requests of an isolate may share it. `now`
 * is always ms of one clock.
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

  /** Requests so far. */
  get sends(): number {
    return this.#sends;
  }

  /** The number of the latest request that was answered. */
  get answered_number(): number {
    return this.#answers;
  }

  /** The number of a request that is about to be sent, from 1. */
  number(): number {
    return ++this.#sends;
  }

  /** Leave for one question of a party (VerifierCall). */
  admit(now: number, tenant = ""): BreakerDecision {
    return this.#breaker.admit(now, tenant);
  }

  /** For how long the breaker lets nothing of the party through, ms. */
  waitMs(now: number, tenant = ""): number {
    return this.#breaker.waitMs(now, tenant);
  }

  /** A question was sent for the first time. */
  sent(now: number): void {
    this.#counts.requests++;
    this.#hedges.sent(now);
  }

  /** The request with that number was answered; `retry`: its question had failed before. */
  answered(number: number, retry: boolean): void {
    this.#answers = Math.max(this.#answers, number);
    this.#retries.answered(retry);
  }

  /** The first byte of an answer came. */
  began(latency_ms: number): void {
    this.#firstBytes.add(latency_ms);
  }

  /** A request ended; `good` when it shows a backend that works, even a busy one. */
  ended(good: boolean, now: number, probe: boolean, tenant = ""): void {
    this.#breaker.record(good, now, probe, tenant);
  }

  /** The party's probe was given up with its request. */
  probeLost(now: number, tenant = ""): void {
    this.#breaker.forget(now, tenant);
  }

  /** The backend said that it is busy. */
  refused(now: number): void {
    this.#refusedAt = now;
  }

  /** Takes leave for one retry. @returns 0, or for how many ms there is none */
  retryMs(now: number): number {
    const wait = this.#retries.take(now);
    if (wait === 0) this.#counts.retries++;
    else this.#counts.retries_denied++;
    return wait;
  }

  /**
   * How long an answer may take to begin before it counts as a straggler, ms; null while that is
   * not known, not wanted, or when a copy sent then would have less time left than an answer may
   * take to begin.
   */
  stragglerMs(remaining_ms: number | null): number | null {
    const p95 = this.#hedging ? this.#firstBytes.p95 : null;
    const after_ms = p95 === null ? null : Math.max(LIMITS.hedge_after_ms_min, p95);
    return after_ms === null || (remaining_ms !== null && remaining_ms < 2 * after_ms) ? null : after_ms;
  }

  /**
   * Takes leave for a second copy of a straggler: never of a backend that was busy lately, where
   * the copy would only queue behind it.
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
