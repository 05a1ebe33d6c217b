// The interval over repeats. Pure; knows nothing of what was measured.
import { mean, populationStd } from "../../src/core/math/stats.ts";

/** 97.5 % quantiles of Student's t for 1..30 degrees of freedom; beyond, the normal's. */
const T_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/**
 * 95 % interval of the mean of independent repeats: mean +- t(n - 1) * s / sqrt(n), s with divisor
 * n - 1. null below two repeats.
 */
export function tInterval(values: readonly number[]): [number, number] | null {
  const n = values.length;
  if (n < 2) return null;
  const standardError = populationStd(values) / Math.sqrt(n - 1);
  const half = (T_975[n - 2] ?? 1.96) * standardError;
  const centre = mean(values);
  return [centre - half, centre + half];
}
