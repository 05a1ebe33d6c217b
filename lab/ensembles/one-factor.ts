// Owns the one-factor model: several noisy measures of one thing, told apart by how they agree,
// without labels. Knows no signal.

/** No measure is taken for perfect: its error keeps this share of its variance at least. */
const LOADING_MAX = 0.98;
const ROUNDS_MAX = 1_000;
const SETTLED = 1e-12;

/**
 * Loadings l of the model r_ij = l_i l_j (i != j) with independent errors: the correlation of each
 * measure with what all measure, in [-0.98, 0.98]. Spearman (1904); fitted by least squares on what
 * is off the diagonal, one loading after the other (minres, Harman and Jones 1966); of three
 * measures the triplet identity l_i^2 = r_ij r_ik / r_jk. Their common sign is that of most.
 * @param correlations a symmetric matrix of at least three measures
 */
export function oneFactorLoadings(correlations: readonly (readonly number[])[]): number[] {
  const n = correlations.length;
  if (n < 3) throw new RangeError("oneFactorLoadings: two measures do not tell which is the better");
  const loadings = new Array<number>(n).fill(0.5);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let moved = 0;
    for (let i = 0; i < n; i++) {
      let along = 0;
      let square = 0;
      for (let j = 0; j < n; j++) {
        if (j === i) continue;
        along += (correlations[i]?.[j] as number) * (loadings[j] as number);
        square += (loadings[j] as number) ** 2;
      }
      const next = square === 0 ? 0 : Math.min(LOADING_MAX, Math.max(-LOADING_MAX, along / square));
      moved = Math.max(moved, Math.abs(next - (loadings[i] as number)));
      loadings[i] = next;
    }
    if (moved < SETTLED) break;
  }
  const sum = loadings.reduce((a, b) => a + b, 0);
  return sum < 0 ? loadings.map((one) => 0 - one) : loadings;
}

/**
 * Weights of standardised measures in the best linear estimate of what they measure, up to a
 * factor: l / (1 - l^2) (Thurstone 1935). A measure that goes against the others has none.
 */
export const factorWeights = (loadings: readonly number[]): number[] =>
  loadings.map((one) => (one <= 0 ? 0 : one / (1 - one ** 2)));

/**
 * The correlation of a weighted sum of standardised measures with what they measure, by the model:
 * w.l / sqrt(w'Rw); 0 without weights.
 */
export function reliability(
  weights: readonly number[],
  loadings: readonly number[],
  correlations: readonly (readonly number[])[],
): number {
  let variance = 0;
  for (const [i, own] of weights.entries()) {
    for (const [j, other] of weights.entries()) variance += own * other * (correlations[i]?.[j] as number);
  }
  const along = weights.reduce((sum, own, i) => sum + own * (loadings[i] as number), 0);
  return variance <= 0 ? 0 : along / Math.sqrt(variance);
}
