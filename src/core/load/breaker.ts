// The circuit breaker of one backend as a state machine over time: when to stop asking, when to ask once
// whether it is back. Must not know sessions, HTTP or clocks.
import { RollingCounts } from "./rolling-counts.ts";

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerOptions {
  window_ms: number;
  /** Outcomes in the window below which the breaker stays closed whatever they are. */
  volume_min: number;
  /** Share of failures at which it opens, 0..1. */
  failure_share: number;
  /** How long it stays open before one probe, and after each probe in vain. */
  open_ms: number;
  /**
   * After this a probe without a reported end (its request was cancelled) is given up, and another may go.
   */
  probe_ms: number;
  /** How soon whoever waits for another's probe looks again. */
  poll_ms: number;
}

/** `go`: ask freely. `probe`: this one may be asked, to find out. `stop`: ask nothing. */
export type BreakerDecision = "go" | "probe" | "stop";

/**
 * Closed, it counts outcomes over a window and opens at `failure_share` of at least `volume_min`. Open, it
 * admits nothing for `open_ms`. Then half-open: one probe at a time; its success closes, its failure opens
 * again (Nygard, "Release It!"). The pause does not grow: one request a pause is cheap, and callers with a
 * deadline wait for the backend to be back. An outcome that arrives while it is open, of a request sent
 * before, changes nothing; a probe's success closes also when it comes late.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #counts: RollingCounts<"good" | "bad">;
  #openUntil: number | null = null;
  #probeSince: number | null = null;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.window_ms);
  }

  state(now: number): BreakerState {
    if (this.#openUntil === null) return "closed";
    return now < this.#openUntil ? "open" : "half_open";
  }

  /** Asks whether one request may be sent. `probe` is given to one asker at a time. */
  admit(now: number): BreakerDecision {
    const state = this.state(now);
    if (state !== "half_open") return state === "closed" ? "go" : "stop";
    if (this.#probeSince !== null && now - this.#probeSince < this.#options.probe_ms) return "stop";
    this.#probeSince = now;
    return "probe";
  }

  /** For how long nothing may be asked, ms; 0 when something may. */
  waitMs(now: number): number {
    if (this.#openUntil === null) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    const { probe_ms, poll_ms } = this.#options;
    return this.#probeSince === null ? 0 : Math.max(0, Math.min(poll_ms, this.#probeSince + probe_ms - now));
  }

  /** A request came to its end. `probe`: it was the one admitted as such. */
  record(good: boolean, now: number, probe = false): void {
    if (probe) this.#probed(good, now);
    else if (this.#openUntil === null) this.#count(good, now);
  }

  /** The probe ended without telling anything: its caller went away. */
  forget(): void {
    this.#probeSince = null;
  }

  /** Outcomes in the window, probes aside; none are left where it has opened. */
  seen(now: number): { good: number; bad: number } {
    return { good: this.#counts.sum("good", now), bad: this.#counts.sum("bad", now) };
  }

  /** Opens it, also for what others have found out. */
  open(now: number): void {
    this.#probeSince = null;
    this.#openUntil = now + this.#options.open_ms;
    this.#counts.clear();
  }

  #count(good: boolean, now: number): void {
    const { volume_min, failure_share } = this.#options;
    this.#counts.add(good ? "good" : "bad", now);
    if (good) return;
    const bad = this.#counts.sum("bad", now);
    const all = bad + this.#counts.sum("good", now);
    if (all >= volume_min && bad >= all * failure_share) this.open(now);
  }

  #probed(good: boolean, now: number): void {
    if (good) {
      this.#probeSince = null;
      this.#openUntil = null;
      return;
    }
    // A probe given up for lost may still come in, after another has decided.
    if (this.state(now) === "half_open") this.open(now);
  }
}
