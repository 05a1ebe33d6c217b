// Owns the circuit breaker of one backend as a state machine over time: when to stop asking, when to ask once whether it is back. Must not know sessions, HTTP or clocks.
import { RollingCounts } from "./rolling-counts.ts";

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerOptions {
  window_ms: number;
  /** Outcomes in the window below which the breaker stays closed whatever they are. */
  volume_min: number;
  /** Share of failures at which it opens, 0..1. */
  failure_share: number;
  /** How long it stays open before one probe; doubled by each probe in vain, up to `open_ms_max`. */
  open_ms: number;
  open_ms_max: number;
  /** After this a probe whose end nobody told (its request was cancelled) is given up, and another may go. */
  probe_ms: number;
}

/** `go`: ask freely. `probe`: this one may be asked, to find out. `stop`: ask nothing. */
export type Admission = "go" | "probe" | "stop";

/**
 * Closed, it counts outcomes over a window and opens at `failure_share` of at least `volume_min`. Open, it admits nothing for `open_ms`.
 * Then half-open: one probe at a time; its success closes, its failure opens again for twice as long (Nygard, "Release It!").
 * An outcome that arrives while it is open, of a request sent before, changes nothing.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #counts: RollingCounts<"good" | "bad">;
  #openUntil: number | null = null;
  #open_ms: number;
  #probeSince: number | null = null;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.window_ms);
    this.#open_ms = options.open_ms;
  }

  state(now: number): BreakerState {
    if (this.#openUntil === null) return "closed";
    return now < this.#openUntil ? "open" : "half_open";
  }

  /** Asks leave for one request. `probe` is given to one asker at a time. */
  admit(now: number): Admission {
    const state = this.state(now);
    if (state !== "half_open") return state === "closed" ? "go" : "stop";
    if (this.#probeSince !== null && now - this.#probeSince < this.#options.probe_ms) return "stop";
    this.#probeSince = now;
    return "probe";
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

  #count(good: boolean, now: number): void {
    const { volume_min, failure_share } = this.#options;
    this.#counts.add(good ? "good" : "bad", now);
    const bad = this.#counts.sum("bad", now);
    const all = bad + this.#counts.sum("good", now);
    if (!good && all >= volume_min && bad >= all * failure_share) this.#open(now);
  }

  #probed(good: boolean, now: number): void {
    const { open_ms, open_ms_max } = this.#options;
    // A probe given up for lost may still come in, after another has decided.
    if (this.state(now) !== "half_open") return;
    if (!good) {
      this.#open_ms = Math.min(open_ms_max, this.#open_ms * 2);
      this.#open(now);
      return;
    }
    this.#probeSince = null;
    this.#openUntil = null;
    this.#open_ms = open_ms;
  }

  #open(now: number): void {
    this.#probeSince = null;
    this.#openUntil = now + this.#open_ms;
    this.#counts.clear();
  }
}
