// Owns sets of numbers, compared in time that grows with their sizes and not with the product.
import { type Comparison, compareNumbers, orderNumbers, type Rational } from "./exact-number.ts";

/** Numbers in ascending order, each once. */
type Ordered = readonly Rational[];

export interface NumberSet {
  /** The same for equal sets alone. */
  key: string;
  byKey: ReadonlyMap<string, Rational>;
  /** Percentages, and what is none: all, and those that are no integers. */
  pools: readonly { percent: boolean; all: Ordered; broken: Ordered }[];
}

export function numberSet(items: readonly Rational[]): NumberSet {
  const byKey = new Map(items.map((one) => [one.key, one]));
  const all = [...byKey.values()].sort(orderNumbers);
  const pools = [false, true].map((percent) => {
    const own = all.filter((one) => one.percent === percent);
    return { percent, all: own, broken: own.filter(({ den }) => den !== 1n) };
  });
  return { key: [...byKey.keys()].sort().join(","), byKey, pools };
}

/** The neighbours in order: where no neighbour is near, nothing is. */
function neighbours(one: Rational, among: Ordered): Rational[] {
  let [low, high] = [0, among.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orderNumbers(among[middle] as Rational, one) < 0) low = middle + 1;
    else high = middle;
  }
  return among.slice(Math.max(0, low - 1), low + 1);
}

/** Whether a number is in a set: `unknown` where one of another kind, or a rounded one, may be it. */
function holds(one: Rational, set: NumberSet, tolerance: bigint): Comparison {
  if (set.byKey.has(one.key)) return "equal";
  let found: Comparison = "different";
  for (const { percent, all, broken } of set.pools) {
    if (percent !== one.percent) {
      if (all.length > 0) found = "unknown";
      continue;
    }
    for (const other of [...neighbours(one, all), ...neighbours(one, broken)]) {
      const said = compareNumbers(one, other, tolerance);
      if (said === "equal") return said;
      if (said === "unknown") found = said;
    }
  }
  return found;
}

/** Equal where each has every number of the other; different where one surely lacks a number. */
export function compareSets(a: NumberSet, b: NumberSet, tolerance: bigint): Comparison {
  if (a.key === b.key) return "equal";
  let found: Comparison = "equal";
  for (const [own, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const one of own.byKey.values()) {
      const said = holds(one, other, tolerance);
      if (said === "different") return said;
      if (said === "unknown") found = said;
    }
  }
  return found;
}
