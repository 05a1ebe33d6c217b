// Statistics: tau-b, means, percentiles and bootstrap intervals. Random numbers come from random.ts.
import { power, square } from "./elementary.ts";

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
