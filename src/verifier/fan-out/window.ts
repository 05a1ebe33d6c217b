// How hard a session leans on its backend: the in-flight window and when to give up. Must not know HTTP,
// queues or time.
import type { ItemErrorCode } from "../../core/faults/errors.ts";

/**
 * Refusals in a row, with no request accepted between them, after which fresh work is held back.
 */
const SUSPECT_STREAK = 6;
/** Fresh generations sacrificed to find out whether a suspect backend is back. */
const PROBES = 6;
/**
 * Rounds of probes, each with its retries, until all that is left is given up where no deadline is
 * waited for. A dead host gets less patience than a busy one.
 */
const ROUNDS = { verifier_unavailable: 2, verifier_overloaded: 4 };

/** A refusal that may be retried: no connection, 502, 504, .. or 429, 503. */
export type RefusalKind = keyof typeof ROUNDS;

/** How much the window grows over one window of successes. */
const GROWTH = 8;

/**
 * Additive increase, multiplicative decrease over generations in flight (Chiu and Jain 1989), and a
 * breaker: a backend that only refuses is asked by a few probes, round after round with longer
 * waits, so that thousands of comparisons against a dead host end in about a second and a backend
 * out of breath is not hammered.
 */
export class Pressure {
  readonly #max: number;
  #window: number;
  #streak = 0;
  #rounds = 0;
  #probes = 0;
  #last: RefusalKind = "verifier_unavailable";
  #shrunkAt = 0;

  constructor(inFlightMax: number) {
    this.#max = inFlightMax;
    this.#window = inFlightMax;
  }

  /** Generations that may be in flight now, at least 1. */
  get window(): number {
    return this.#window;
  }

  /** Completed rounds of a suspect backend; they lengthen the back-off. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a generation that was never sent may be sent now, slots apart. */
  get admitsFresh(): boolean {
    return this.#streak < SUSPECT_STREAK || this.#probes < PROBES;
  }

  /** The code of a backend that takes nothing at all; null of one that does. */
  get refusing(): RefusalKind | null {
    return this.#streak >= SUSPECT_STREAK ? this.#last : null;
  }

  sentFresh(): void {
    if (this.#streak >= SUSPECT_STREAK) this.#probes++;
  }

  /** The backend answered something other than a refusal. */
  accepted(): void {
    this.#streak = 0;
    this.#rounds = 0;
  }

  /** A generation came to its end. */
  completed(): void {
    this.#window = Math.min(this.#max, this.#window + GROWTH / this.#window);
  }

  /**
   * @param request the refused request's running number
   * @param sent the running number of the latest request
   * @param inFlight generations in flight, the refused one included
   */
  refused(refusal: RefusalKind, request: number, sent: number, inFlight: number): void {
    this.#last = refusal;
    if (++this.#streak === SUSPECT_STREAK) this.#probes = PROBES;
    // Refusals of requests sent before the last cut tell nothing about the smaller window.
    if (refusal !== "verifier_overloaded" || request <= this.#shrunkAt) return;
    this.#window = Math.max(1, Math.floor(Math.min(this.#window, inFlight) / 2));
    this.#shrunkAt = sent;
  }

  /**
   * To be asked when fresh work is held back while nothing runs and nothing waits for its retry.
   * @param patient whether there is a deadline to wait for
   * @returns null to go on with another round of probes, or the code with which to give up
   */
  nextRound(patient: boolean): ItemErrorCode | null {
    if (++this.#rounds >= ROUNDS[this.#last] && !patient) return this.#last;
    this.#probes = 0;
    return null;
  }
}
