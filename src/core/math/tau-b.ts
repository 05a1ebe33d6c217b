// Ranks and rank correlation.

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
