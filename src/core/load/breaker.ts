// The circuit breaker of one backend, as a state machine over time: decides when to stop sending requests and
// when to probe whether the backend is back. Independent of sessions, HTTP and clocks.
import { RollingCounts } from "./rolling-counts.ts";

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerOptions {
  window_ms: number;
  /** Minimum number of outcomes in the window; with fewer, the breaker stays closed. */
  volume_min: number;
  /** Share of failed requests at which the breaker opens, 0..1. */
  failure_share: number;
  /** How long the breaker stays open before the first probe and after each failed probe. */
  open_ms: number;
  /**
   * Timeout for a probe whose outcome is never reported, for example because its request was cancelled. After
   * the timeout, another probe is admitted.
   */
  probe_ms: number;
  /** Polling interval of callers that wait for another caller's probe. */
  poll_ms: number;
}

/** `go`: send requests. `probe`: send this one request as a probe. `stop`: send nothing. */
export type BreakerDecision = "go" | "probe" | "stop";

/**
 * While closed, the breaker counts outcomes over a window and opens once at least `volume_min` outcomes have
 * a failure share of at least `failure_share`. While open, it admits nothing for `open_ms`. Then it is
 * half-open and admits one probe at a time: a success closes it, a failure reopens it (Nygard, "Release
 * It!"). It does not back off exponentially, because one probe per pause is cheap and callers with a deadline
 * are waiting for the backend to return. Outcomes of earlier requests that arrive while the breaker is open
 * are ignored, but a late success of a probe closes it.
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

  /** Decides whether one request may be sent. Only one caller at a time gets `probe`. */
  admit(now: number): BreakerDecision {
    const state = this.state(now);
    if (state !== "half_open") return state === "closed" ? "go" : "stop";
    if (this.#probeSince !== null && now - this.#probeSince < this.#options.probe_ms) return "stop";
    this.#probeSince = now;
    return "probe";
  }

  /** Time until a request may be admitted, in ms; 0 if one may be sent now. */
  waitMs(now: number): number {
    if (this.#openUntil === null) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    const { probe_ms, poll_ms } = this.#options;
    return this.#probeSince === null ? 0 : Math.max(0, Math.min(poll_ms, this.#probeSince + probe_ms - now));
  }

  /**
   * Records the outcome of a request.
   * @param probe whether the request was admitted as a probe
   */
  record(good: boolean, now: number, probe = false): void {
    if (probe) this.#probed(good, now);
    else if (this.#openUntil === null) this.#count(good, now);
  }

  /** Releases the probe without an outcome, because its caller was cancelled. */
  forget(): void {
    this.#probeSince = null;
  }

  /** Outcomes in the window, not counting probes; zero once the breaker has opened. */
  seen(now: number): { good: number; bad: number } {
    return { good: this.#counts.sum("good", now), bad: this.#counts.sum("bad", now) };
  }

  /** Opens the breaker. Also called because of failures that other breakers have counted. */
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
    // A probe that timed out may still end after another probe has decided the state.
    if (this.state(now) === "half_open") this.open(now);
  }
}
