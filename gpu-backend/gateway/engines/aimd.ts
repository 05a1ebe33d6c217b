// How many generations one replica may have in flight: additive increase, multiplicative decrease. Must not
// know HTTP or time.
import type { Gauges } from "./gauges.ts";

/** KV-cache use from which the engine is close to preempting: 0..1. */
export const KV_USE_HIGH = 0.9;
/** What is left of the cap after a sample that shows pressure. */
const DECREASE = 0.7;
/** What is left after a refusal, where the engine tells no more. */
const REFUSED = 0.5;
/** The cap's growth a sample, or a full cap of completions, as a share of its maximum. */
const INCREASE = 1 / 32;

/**
 * The cap starts at its maximum and stays within 1..max. An engine with gauges rules it by them,
 * once a sample: up while nothing waits and the KV cache has room, else down. An engine without is
 * taken at its refusals: halved by each, grown back by completions. (Chiu and Jain 1989; as in RFC
 * 7661, a cap that is not used does not grow, and as in TCP one loss event cuts once: while more is
 * in flight than the cap allows, the last cut has yet to show.)
 */
export class Aimd {
  readonly #max: number;
  readonly #step: number;
  #cap: number;
  #gauged = false;

  /** @param max at least 1 */
  constructor(max: number) {
    this.#max = max;
    this.#cap = max;
    this.#step = Math.max(1, max * INCREASE);
  }

  /** Generations that may be in flight, an integer in 1..max. */
  get cap(): number {
    return Math.floor(this.#cap);
  }

  /** Takes the engine's gauges; null when it has none, or they could not be read. */
  sample(gauges: Gauges | null, inFlight: number): void {
    this.#gauged = gauges !== null;
    if (gauges === null) return;
    if (gauges.waiting === 0 && gauges.kv_use < KV_USE_HIGH) {
      if (inFlight * 2 >= this.cap) this.#grow(this.#step);
    } else if (inFlight <= this.cap) {
      this.#shrink(DECREASE, inFlight);
    }
  }

  /** The engine refused for load (429, 503). @param inFlight the refused one included */
  refused(inFlight: number): void {
    if (inFlight <= this.cap) this.#shrink(REFUSED, inFlight);
  }

  /** A generation came to its end. */
  completed(): void {
    if (!this.#gauged) this.#grow(this.#step / this.#cap);
  }

  #grow(increment: number): void {
    this.#cap = Math.min(this.#max, this.#cap + increment);
  }

  #shrink(factor: number, inFlight: number): void {
    this.#cap = Math.max(1, Math.min(this.#cap, inFlight) * factor);
  }
}
