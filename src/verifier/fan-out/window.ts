// Back-pressure of one session: the in-flight window, and when to give up. Independent of HTTP, queues and
// time.
import type { ItemErrorCode } from "../../core/faults/errors.ts";

/** Consecutive refusals, without an accepted request, after which new samples are held back. */
const SUSPECT_STREAK = 6;
/** New generations that are sent as probes to a suspect backend. */
const PROBES = 6;
/**
 * Rounds of probes, each with its retries, before the session gives up; only without a deadline. An
 * unreachable host gets fewer rounds than a busy one.
 */
const ROUNDS = { verifier_unavailable: 2, verifier_overloaded: 4 };

/**
 * A refusal that may be retried: `verifier_unavailable` (no connection, 502, 504, ..) or
 * `verifier_overloaded`.
 */
export type RefusalKind = keyof typeof ROUNDS;

/** Growth of the window per window of successes. */
const GROWTH = 8;

/**
 * Additive increase, multiplicative decrease over generations in flight (Chiu and Jain 1989), combined
 * with a breaker. A backend that only refuses gets a few probes per round, with growing delays:
 * thousands of comparisons against a dead host end in about a second, and an overloaded backend is not
 * hammered.
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

  /** Upper bound of generations in flight, at least 1. */
  get window(): number {
    return this.#window;
  }

  /** Completed rounds of probes; they lengthen the back-off. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a new generation may be sent now, regardless of slots. */
  get admitsFresh(): boolean {
    return this.#streak < SUSPECT_STREAK || this.#probes < PROBES;
  }

  /** The code of a backend that refuses everything; null otherwise. */
  get refusing(): RefusalKind | null {
    return this.#streak >= SUSPECT_STREAK ? this.#last : null;
  }

  sentFresh(): void {
    if (this.#streak >= SUSPECT_STREAK) this.#probes++;
  }

  /** Records a reply that is not a refusal. */
  accepted(): void {
    this.#streak = 0;
    this.#rounds = 0;
  }

  /** Records a finished generation. */
  completed(): void {
    this.#window = Math.min(this.#max, this.#window + GROWTH / this.#window);
  }

  /**
   * Records a refusal.
   * @param request the refused request's sequence number
   * @param sent the sequence number of the latest request
   * @param inFlight generations in flight, the refused one included
   */
  refused(refusal: RefusalKind, request: number, sent: number, inFlight: number): void {
    this.#last = refusal;
    if (++this.#streak === SUSPECT_STREAK) this.#probes = PROBES;
    // Refusals of requests sent before the last reduction say nothing about the smaller window.
    if (refusal !== "verifier_overloaded" || request <= this.#shrunkAt) return;
    this.#window = Math.max(1, Math.floor(Math.min(this.#window, inFlight) / 2));
    this.#shrunkAt = sent;
  }

  /**
   * Starts the next round. Called when new samples are held back while no request is running and no retry is
   * waiting.
   * @param patient whether the session waits for a deadline
   * @returns null for another round of probes, or the code with which to give up
   */
  nextRound(patient: boolean): ItemErrorCode | null {
    if (++this.#rounds >= ROUNDS[this.#last] && !patient) return this.#last;
    this.#probes = 0;
    return null;
  }
}
