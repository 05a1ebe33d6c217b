// Owns the test for a trend in a series: Mann and Kendall's, which asks for an order, not a line.

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
 * One-sided p-value that a series rises (Mann 1945, Kendall 1975): normal approximation with
 * continuity correction and the variance for ties. 1 below 8 values, where it does not hold.
 */
export function risingP(values: readonly number[]): number {
  const n = values.length;
  if (n < 8) return 1;
  let s = 0;
  const counts = new Map<number, number>();
  values.forEach((value, i) => {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    for (let j = i + 1; j < n; j++) s += Math.sign((values[j] as number) - value);
  });
  const spread = (m: number) => m * (m - 1) * (2 * m + 5);
  const ties = [...counts.values()].reduce((sum, count) => sum + spread(count), 0);
  const variance = (spread(n) - ties) / 18;
  if (variance <= 0) return 1;
  const z = (s - Math.sign(s)) / Math.sqrt(variance);
  return erfc(z / Math.SQRT2) / 2;
}

export const fallingP = (values: readonly number[]): number => risingP(values.map((value) => -value));

/**
 * A test over the window that ends at each place; null where a value is missing or the window is
 * not full.
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
