// 95 % intervals where resamples say nothing: of equal values, of hits and misses, of few entries.
import { exp, log, log1p, power, square } from "../../src/core/math/elementary.ts";

/** P(X >= hits) of n trials of chance p, by the terms' ratio from the first on. */
function binomialTail(hits: number, n: number, p: number): number {
  let logarithm = 0;
  for (let i = 1; i <= hits; i++) logarithm += log(((n - hits + i) / i) * p);
  let term = exp(logarithm + (n - hits) * log1p(-p));
  let sum = term;
  for (let k = hits; k < n; k++) {
    term *= ((n - k) / (k + 1)) * (p / (1 - p));
    sum += term;
  }
  return sum;
}

/**
 * 95 % interval of a chance of which `hits` of n independent trials came true, exact whatever n
 * (Clopper and Pearson 1934; scipy's `binomtest(..).proportion_ci(method="exact")`).
 * @param n at least 1
 */
export function binomialInterval(hits: number, n: number): [number, number] {
  return [chanceBelow(hits, n), 1 - chanceBelow(n - hits, n)];
}

/** The chance at which `hits` or more of `n` trials come true 1 time in 40. */
function chanceBelow(hits: number, n: number): number {
  if (hits === 0) return 0;
  if (hits === n) return power(OUTSIDE, 1 / n);
  let [low, high] = [0, 1];
  for (let middle = 0.5; low < middle && middle < high; middle = (low + high) / 2) {
    if (binomialTail(hits, n, middle) < OUTSIDE) low = middle;
    else high = middle;
  }
  return low;
}

const OUTSIDE = 0.025;

/**
 * 95 % interval of the mean of values that lie in `range` where all n that were seen are equal, of
 * which no resample tells a spread. At an end of the range: as of n trials that all came true
 * (`binomialInterval`). Inside: another value has a chance of at most 1 - 0.05^(1/n), and may lie at
 * either end.
 */
export function equalInterval(value: number, n: number, [min, max]: readonly [number, number]): [number, number] {
  const inside = value > min && value < max;
  const same = power(inside ? 2 * OUTSIDE : OUTSIDE, 1 / n);
  return [min + (value - min) * same, max - (max - value) * same];
}

/** Student's t(0.975) for 1 to 4 degrees of freedom. */
const STUDENT = [12.706204736174694, 4.302652729749462, 3.182446305283708, 2.776445105197793];
/** Up to this many entries, percentiles of resamples do not hold 95 %. */
export const ENTRIES_FEW = STUDENT.length + 1;

/**
 * 95 % interval of sum(numerators) / sum(denominators) of 2 to ENTRIES_FEW entries, by Student's t
 * and the ratio's linearised error (Cochran 1977, section 6.4), cut at the range.
 */
export function studentRatio(
  numerators: readonly number[],
  denominators: readonly number[],
  [min, max]: readonly [number, number],
): [number, number] {
  const n = numerators.length;
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const under = total(denominators);
  const ratio = total(numerators) / under;
  const squares = total(numerators.map((over, i) => square(over - ratio * (denominators[i] as number))));
  const half = ((STUDENT[n - 2] as number) * Math.sqrt((n / (n - 1)) * squares)) / under;
  return [Math.max(min, ratio - half), Math.min(max, ratio + half)];
}
