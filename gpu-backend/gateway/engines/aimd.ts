// Concurrency limit of one replica: additive increase, multiplicative decrease (AIMD). Independent of HTTP
// and time.
import type { Gauges } from "./gauges.ts";

/** KV-cache usage, 0..1, above which the engine is close to preempting. */
export const KV_USE_HIGH = 0.9;
/** Factor applied to the cap after a gauge sample that shows pressure. */
const DECREASE = 0.7;
/** Factor applied to the cap after a rejection, for engines without gauges. */
const REFUSED = 0.5;
/** Growth of the cap per gauge sample, or per full cap of completions, as a share of the maximum. */
const INCREASE = 1 / 32;

/**
 * The cap starts at its maximum and stays within 1..max. With gauges, each sample raises the cap while no
 * request waits and the KV cache has room, and lowers it otherwise. Without gauges, each rejection halves the
 * cap and completions grow it back. (Chiu and Jain 1989. As in RFC 7661, an unused cap does not grow. As in
 * TCP, one loss event cuts once: while more is in flight than the cap allows, the last cut has not taken
 * effect yet.)
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

  /** Applies the engine's gauges; null if the engine has none or they could not be read. */
  sample(gauges: Gauges | null, inFlight: number): void {
    this.#gauged = gauges !== null;
    if (gauges === null) return;
    if (gauges.waiting === 0 && gauges.kv_use < KV_USE_HIGH) {
      if (inFlight * 2 >= this.cap) this.#grow(this.#step);
    } else if (inFlight <= this.cap) {
      this.#shrink(DECREASE, inFlight);
    }
  }

  /** Records a rejection for load (429, 503). @param inFlight including the rejected generation */
  refused(inFlight: number): void {
    if (inFlight <= this.cap) this.#shrink(REFUSED, inFlight);
  }

  /** Records a completed generation. */
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
