// Sets of numbers. Comparing two sets takes time that grows with the sum of their sizes and not with the
// product.
import { compareNumbers, type Equivalence, orderNumbers, type Rational } from "./exact-number.ts";

/** Distinct numbers in ascending order. */
type Ordered = readonly Rational[];

export interface NumberSet {
  /** The same only for equal sets. */
  key: string;
  byKey: ReadonlyMap<string, Rational>;
  /**
   * Plain numbers and percentages, separately. `all` contains every entry; `broken` contains only the
   * non-integers.
   */
  pools: readonly { percent: boolean; all: Ordered; broken: Ordered }[];
}

export function numberSet(items: readonly Rational[]): NumberSet {
  const byKey = new Map(items.map((item) => [item.key, item]));
  const all = [...byKey.values()].sort(orderNumbers);
  const pools = [false, true].map((percent) => {
    const pool = all.filter((entry) => entry.percent === percent);
    return { percent, all: pool, broken: pool.filter(({ den }) => den !== 1n) };
  });
  return { key: [...byKey.keys()].sort().join(","), byKey, pools };
}

/** The nearest numbers below and above. If neither of them is close enough, no number is. */
function neighbours(number: Rational, among: Ordered): Rational[] {
  let [low, high] = [0, among.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orderNumbers(among[middle] as Rational, number) < 0) low = middle + 1;
    else high = middle;
  }
  return among.slice(Math.max(0, low - 1), low + 1);
}

/**
 * Whether a set contains a number. `unknown` if a percentage, a plain number or a rounded form in the set may
 * be the same number.
 */
function holds(number: Rational, set: NumberSet, tolerance: bigint): Equivalence {
  if (set.byKey.has(number.key)) return "equal";
  let found: Equivalence = "different";
  for (const { percent, all, broken } of set.pools) {
    if (percent !== number.percent) {
      if (all.length > 0) found = "unknown";
      continue;
    }
    for (const other of [...neighbours(number, all), ...neighbours(number, broken)]) {
      const relation = compareNumbers(number, other, tolerance);
      if (relation === "equal") return relation;
      if (relation === "unknown") found = relation;
    }
  }
  return found;
}

/**
 * Returns `equal` if each set contains every number of the other, and `different` if one set certainly lacks
 * a number.
 */
export function compareSets(a: NumberSet, b: NumberSet, tolerance: bigint): Equivalence {
  if (a.key === b.key) return "equal";
  let found: Equivalence = "equal";
  for (const [set, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const number of set.byKey.values()) {
      const relation = holds(number, other, tolerance);
      if (relation === "different") return relation;
      if (relation === "unknown") found = relation;
    }
  }
  return found;
}
