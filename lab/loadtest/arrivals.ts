// Decides when requests are due: arrival processes as ascending times. Pure and seeded; knows no clock and no
// request.
import { createRandom, hashText } from "../../src/core/math/random.ts";

/** Rates are requests a second. */
export type Arrivals =
  | { process: "constant"; rate: number }
  | { process: "poisson"; rate: number }
  /**
   * Gamma-distributed gaps of this shape: 1 is Poisson, below 1 comes in bursts (variance of a gap
   * = mean^2 / shape).
   */
  | { process: "gamma"; rate: number; shape: number }
  /**
   * Even spacing at a rate that grows (or falls) linearly from the first to the second over the
   * whole duration.
   */
  | { process: "ramp"; from: number; to: number }
  /** Recorded times in seconds, ascending, from 0. */
  | { process: "trace"; at_s: readonly number[] };

/**
 * Milliseconds from the start at which requests are due, ascending, all in [0, duration_s * 1000).
 * The same seed gives the same times.
 * @throws RangeError when there would be more than `count_max`
 */
export function arrivalTimes(arrivals: Arrivals, duration_s: number, seed: number, count_max: number): number[] {
  const times: number[] = [];
  for (const at of secondsOf(arrivals, duration_s, seed)) {
    if (at >= duration_s) break;
    if (times.length === count_max) throw new RangeError(`more than ${count_max} arrivals in ${duration_s} s`);
    times.push(at * 1000);
  }
  return times;
}

function secondsOf(arrivals: Arrivals, duration_s: number, seed: number): Iterable<number> {
  const random = createRandom(hashText("arrivals", arrivals.process, seed));
  switch (arrivals.process) {
    case "constant":
      return spaced((count) => count / arrivals.rate);
    case "poisson":
      return summed(() => exponential(random) / arrivals.rate);
    case "gamma":
      return summed(() => gamma(arrivals.shape, random) / (arrivals.shape * arrivals.rate));
    case "ramp":
      return spaced((count) => rampTime(count, arrivals.from, arrivals.to, duration_s));
    case "trace":
      return arrivals.at_s;
  }
}

function* spaced(timeOf: (count: number) => number): Generator<number> {
  for (let count = 0; ; count++) yield timeOf(count);
}

function* summed(gap: () => number): Generator<number> {
  for (let at = gap(); ; at += gap()) yield at;
}

/** 1 - u is never 0, so the logarithm is finite. */
const exponential = (random: () => number) => -Math.log(1 - random());

/** A standard normal number (Box & Muller 1958). */
const normal = (random: () => number) => Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random());

/**
 * A gamma variate of scale 1 (Marsaglia & Tsang 2000); a shape below 1 goes by their boost from
 * shape + 1.
 */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/**
 * When the count-th request is due: the inverse of the ramp's integral, from * t + (to - from) *
 * t^2 / (2 * duration).
 */
function rampTime(count: number, from: number, to: number, duration_s: number): number {
  const slope = (to - from) / duration_s;
  const root = from * from + 2 * slope * count;
  // A falling ramp never reaches counts beyond its integral.
  if (root < 0) return Number.POSITIVE_INFINITY;
  const sum = from + Math.sqrt(root);
  return sum === 0 ? 0 : (2 * count) / sum;
}
