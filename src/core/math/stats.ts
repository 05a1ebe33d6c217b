// Statistics: tau-b, means, percentiles and bootstrap intervals. Random numbers come from random.ts.
import { exp, power, square } from "./elementary.ts";
import { createRandom } from "./random.ts";

export interface TauB {
  tau: number | null;
  /**
   * Why `tau` is null: there are fewer than two entries, or all entries on one side are tied (x is checked
   * first).
   */
  undefined: "too_few" | "tied_wins" | "tied_labels" | null;
}

/**
 * Kendall's tau-b of win counts `x` and labels `y` (Kendall 1945; equal to scipy.stats.kendalltau to 1e-12):
 * (C - D) / sqrt((n0 - n1)(n0 - n2)), where n1 and n2 are the numbers of pairs tied in x and in y. In [-1,
 * 1]. O(n^2), for n <= 64. Throws RangeError if the lengths differ.
 */
export function kendallTauB(x: readonly number[], y: readonly number[]): TauB {
  if (x.length !== y.length) throw new RangeError("kendallTauB: x and y must have the same length");
  const n = x.length;
  if (n < 2) return { tau: null, undefined: "too_few" };
  let concordance = 0;
  let untiedX = 0;
  let untiedY = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const dx = Math.sign((x[i] as number) - (x[j] as number));
      const dy = Math.sign((y[i] as number) - (y[j] as number));
      concordance += dx * dy;
      untiedX += dx * dx;
      untiedY += dy * dy;
    }
  }
  if (untiedX === 0) return { tau: null, undefined: "tied_wins" };
  if (untiedY === 0) return { tau: null, undefined: "tied_labels" };
  return { tau: concordance / Math.sqrt(untiedX * untiedY), undefined: null };
}

/** Ranks, counted from 1. Tied values get the mean of their ranks. */
export function meanRanks(values: readonly number[]): number[] {
  const sorted = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && sorted[to]?.value === sorted[from]?.value) to++;
    for (const { at } of sorted.slice(from, to)) ranks[at] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/**
 * Spearman's rank correlation (1904): Pearson's correlation of mean ranks, in [-1, 1]. null for fewer than
 * two entries, or if all entries on one side are tied. O(n log n). Throws RangeError if the lengths differ.
 */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  if (x.length !== y.length) throw new RangeError("spearman: x and y must have the same length");
  const [a, b] = [meanRanks(x), meanRanks(y)];
  const middle = (x.length + 1) / 2;
  const product = (p: readonly number[], q: readonly number[]) =>
    p.reduce((sum, rank, i) => sum + (rank - middle) * ((q[i] as number) - middle), 0);
  const scale = Math.sqrt(product(a, a) * product(b, b));
  return scale === 0 ? null : product(a, b) / scale;
}

/** The sum of the values, bit-identical for any order of the values. */
export function sumOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b).reduce((sum, value) => sum + value, 0);
}

/** The most frequent value; null for an empty list, or if several values are equally frequent. */
export function mostFrequent<T>(values: readonly T[]): T | null {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const maxCount = Math.max(...counts.values());
  const [first, second] = [...counts].filter(([, count]) => count === maxCount);
  return first === undefined || second !== undefined ? null : first[0];
}

/** Arithmetic mean. NaN for an empty list, which callers must exclude. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/** Standard deviation of the whole population (divisor n), computed in two passes. NaN for an empty list. */
export function populationStd(values: ArrayLike<number>): number {
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += square((values[i] as number) - centre);
  return Math.sqrt(squares / values.length);
}

/**
 * The `q`-quantile, with q in [0, 1], of the ascending list `sorted`, by linear interpolation between the
 * order statistics around (n - 1) q (Hyndman & Fan type 7, numpy's default). NaN for an empty list.
 */
export function percentile(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
}

/**
 * The rank of each value as a share: 1 for the highest, 0 for the lowest, with ties averaged. All 0 if the
 * values are equal or there is only one.
 */
export function rankShares(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted[0] === sorted.at(-1)) return values.map(() => 0);
  const places = new Map<number, { first: number; last: number }>();
  sorted.forEach((value, place) => {
    const known = places.get(value);
    if (known === undefined) places.set(value, { first: place, last: place });
    else known.last = place;
  });
  return values.map((value) => {
    const { first, last } = places.get(value) as { first: number; last: number };
    return (first + last) / 2 / (values.length - 1);
  });
}

export interface BootstrapOptions {
  /** Number of resamples; 0 means that no interval is computed. */
  resamples: number;
  /** A number, or a `hashText` of what the interval describes. */
  seed: Parameters<typeof createRandom>[0];
}

/**
 * 95 % percentile bootstrap interval of the mean (Efron 1979); null without values or resamples.
 * The same seed gives the same interval.
 */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions): [number, number] | null {
  return bootstrapRatio(values, new Float64Array(values.length).fill(1), options);
}

const Z_975 = 1.959963984540054;

/**
 * P(Z > x) for the standard normal distribution and x >= 0, accurate to 8e-8 (Abramowitz and Stegun 26.2.17).
 */
function upperTail(x: number): number {
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (series * exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/**
 * The share of a bootstrap distribution to cut off at each end for a 95 % interval of `n` entries: 0.025 for
 * many entries, and less for few entries, for which plain percentiles are too narrow. Uses the expanded
 * percentile interval (Hesterberg 2015, "What Teachers Should Know About the Bootstrap"): the normal tail
 * beyond t(0.975, n - 1) sqrt(n / (n - 1)), with Student's t from its Cornish-Fisher expansion.
 */
export function bootstrapTail(n: number): number {
  if (n < 2) return 0.025;
  const z = Z_975;
  const df = n - 1;
  const [z3, z5, z7] = [power(z, 3), power(z, 5), power(z, 7)];
  const first = (z3 + z) / 4;
  const second = (5 * z5 + 16 * z3 + 3 * z) / 96;
  const third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  const t = z + first / df + second / power(df, 2) + third / power(df, 3);
  return upperTail(t * Math.sqrt(n / df));
}

/**
 * 95 % percentile bootstrap interval of sum(numerators) / sum(denominators). Resamples the entries in pairs,
 * and is expanded for few entries (see `bootstrapTail`). Every denominator must be positive. null without
 * entries or resamples. Draws entries x resamples random numbers.
 */
export function bootstrapRatio(
  numerators: ArrayLike<number>,
  denominators: ArrayLike<number>,
  { resamples, seed }: BootstrapOptions,
): [number, number] | null {
  const n = numerators.length;
  if (n === 0 || resamples === 0) return null;
  const over = Float64Array.from(numerators);
  const under = Float64Array.from(denominators);
  const random = createRandom(seed);
  const estimates = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let top = 0;
    let bottom = 0;
    for (let i = 0; i < n; i++) {
      const pick = (random() * n) >>> 0;
      top += over[pick] as number;
      bottom += under[pick] as number;
    }
    estimates[r] = top / bottom;
  }
  estimates.sort();
  const tail = bootstrapTail(n);
  return [percentile(estimates, tail), percentile(estimates, 1 - tail)];
}

/**
 * Adaptive-Consistency's Beta criterion (arXiv 2305.11860): P(Beta(v1+1, v2+1) > 1/2), where v1 >= v2 are the
 * two largest counts, equals sum_{i=0..v1} C(n, i) / 2^n with n = v1 + v2 + 1. Stop when P >= 0.95. Unparsed
 * samples are not votes.
 * @param v1 number of votes; v1 + v2 must be at most 1,000, because 2^-n would otherwise leave the range of a
 * double
 */
export function betaConfidence(v1: number, v2: number): number {
  const n = v1 + v2 + 1;
  const shorter = Math.min(v1, v2);
  let term = power(2, -n);
  let tail = term;
  for (let i = 1; i <= shorter; i++) {
    term *= (n - i + 1) / i;
    tail += term;
  }
  return v1 < v2 ? tail : 1 - tail;
}
