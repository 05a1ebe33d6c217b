// Confidence intervals by resampling.
import { exp, power } from "./elementary.ts";
import { createRandom } from "./random.ts";
import { percentile } from "./stats.ts";

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
