// Statistical tests for changes in a series: the Mann-Kendall trend test, which needs only ordered values; a
// comparison of a window's mean with that of the first steps; the tail of a Poisson distribution.
import { mean, populationStd } from "../math/stats.ts";
import { type Counted, rolling } from "./health-row.ts";

/** Complementary error function (Numerical Recipes 6.2, relative error below 1.2e-7). */
function erfc(x: number): number {
  const z = Math.abs(x);
  const t = 1 / (1 + z / 2);
  const series = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  const sum = series.reduceRight((total, term) => total * t + term, 0);
  const tail = t * Math.exp(-z * z + sum);
  return x >= 0 ? tail : 2 - tail;
}

/**
 * One-sided p-value that a series rises (Mann 1945, Kendall 1975): normal approximation with continuity
 * correction and the variance for ties. Returns 1 for fewer than 8 values, where the approximation does not
 * hold.
 */
export function risingP(values: readonly number[]): number {
  const n = values.length;
  if (n < 8) return 1;
  let s = 0;
  const counts = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const value = values[i] as number;
    counts.set(value, (counts.get(value) ?? 0) + 1);
    for (let j = i + 1; j < n; j++) s += Math.sign((values[j] as number) - value);
  }
  const spread = (m: number) => m * (m - 1) * (2 * m + 5);
  const ties = [...counts.values()].reduce((sum, count) => sum + spread(count), 0);
  const variance = (spread(n) - ties) / 18;
  if (variance <= 0) return 1;
  const z = (s - Math.sign(s)) / Math.sqrt(variance);
  return erfc(z / Math.SQRT2) / 2;
}

export const fallingP = (values: readonly number[]): number => risingP(values.map((value) => -value));

/**
 * Upper tail of a Poisson distribution: the probability of at least `hits` events if `expected` are expected.
 */
export function poissonTail(hits: number, expected: number): number {
  let [term, below] = [Math.exp(-expected), 0];
  for (let k = 0; k < hits; k++) {
    below += term;
    term *= expected / (k + 1);
  }
  return Math.max(0, 1 - below);
}

/**
 * Number of standard errors by which a share exceeds an earlier one: two Poisson rates compared by the square
 * roots of their counts (Huffman 1984), which also holds for few hits.
 * @param dispersion variance of the hits relative to a Poisson distribution; above 1 if hits cluster within
 *   groups
 */
export function risenShare(now: Counted, first: Counted, dispersion: number): number {
  const ratio = now.count / first.count;
  const root = (hits: number) => Math.sqrt(hits + 3 / 8);
  return (2 * (root(now.hits) - Math.sqrt(ratio) * root(first.hits))) / Math.sqrt(dispersion * (1 + ratio));
}

/**
 * Overdispersion: variance of the counts relative to that expected by chance, at least 1 (Pearson's statistic
 * divided by its degrees of freedom).
 */
export function dispersionOf(counts: readonly Counted[]): number {
  const some = counts.filter(({ count }) => count > 0);
  const total = (field: keyof Counted) => some.reduce((sum, counted) => sum + counted[field], 0);
  const share = total("hits") / total("count");
  if (some.length < 2 || !(share > 0)) return 1;
  const off = some.map(({ hits, count }) => (hits - share * count) ** 2 / (share * count));
  return Math.max(1, off.reduce((sum, value) => sum + value, 0) / (some.length - 1));
}

/** Number of steps at the start of a run whose mean is the baseline for later steps. */
export const FIRST_STEPS = 50;

interface Window {
  steps: number;
  /** Minimum number of known values in a window. Default: half of its steps. */
  minKnown?: number;
  /** Number of standard errors that a change must exceed to be significant. */
  sure: number;
}

/**
 * Rise of the rolling mean over the mean of the first steps; 0 if the change is not significant. Null during
 * the first steps and where too few values are known.
 */
export function risenOver(values: readonly (number | null)[], { steps, minKnown, sure }: Window): (number | null)[] {
  const first = known(values.slice(0, FIRST_STEPS));
  const enough = minKnown ?? Math.ceil(steps / 2);
  return values.map((_, end) => {
    const now = known(values.slice(Math.max(0, end - steps + 1), end + 1));
    if (end < FIRST_STEPS || now.length < enough || first.length === 0) return null;
    const rise = mean(now) - mean(first);
    // Uses the greater of the two variances, since some of the many windows vary little by chance.
    const doubt = Math.max(variance(first), variance(now)) * (1 / first.length + 1 / now.length);
    return Math.abs(rise) > sure * Math.sqrt(doubt) ? rise : 0;
  });
}

/**
 * Rise of the rolling mean over the mean of the first steps; 0 if there is no rise or nothing is known. Not
 * tested for significance, so it suits corrections but not alarms.
 */
export function riseOf(values: readonly (number | null)[], steps: number): number[] {
  const first = rolling(values.slice(0, FIRST_STEPS), FIRST_STEPS, 1).at(-1) ?? null;
  return rolling(values, steps, 1).map((now) => (now === null || first === null ? 0 : Math.max(0, now - first)));
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/** Sample variance; infinite for fewer than two values. */
const variance = (values: readonly number[]): number =>
  values.length < 2 ? Number.POSITIVE_INFINITY : (populationStd(values) ** 2 * values.length) / (values.length - 1);

/**
 * Applies a test to the last `window` values at each step; null if a value in the window is missing or the
 * window is not full.
 */
export function trendOver(
  values: readonly (number | null)[],
  window: number,
  test: (values: readonly number[]) => number,
): (number | null)[] {
  return values.map((_, end) => {
    const some = values.slice(Math.max(0, end - window + 1), end + 1).filter((value) => value !== null);
    return some.length < window ? null : test(some);
  });
}
