// Owns what a pair is worth asking under the Bradley-Terry posterior, and the wave of those worth
// most. Knows no schedule.
import { type Fit, pairPosterior, productOf, sigmoid } from "../../math/bradley-terry.ts";
import { sumOf } from "../../math/stats.ts";
import type { Match } from "./schedule.ts";

/** The chance that a pair's order is wrong times what an answer tells of its gap. */
function worthOf(fit: Fit, [i, j]: readonly [number, number]): number {
  const { variance, chance } = pairPosterior(fit, i, j);
  const p = sigmoid((fit.theta[i] as number) - (fit.theta[j] as number));
  return Math.min(chance, 1 - chance) * p * (1 - p) * variance;
}

/** The same; where `only` the best matters, times the chances of a pair's two to be it. */
export function worthIn(fit: Fit, only: boolean): (match: Match) => number {
  const chances = only ? bestChances(fit) : null;
  const share = ([i, j]: readonly [number, number]) =>
    chances === null ? 1 : (chances[i] as number) + (chances[j] as number);
  return (match) => share(match as [number, number]) * worthOf(fit, match as [number, number]);
}

/** The pairs of a line of candidates that are not among those asked. */
export const unasked = (order: readonly number[], asked: readonly Match[]): Match[] =>
  order.flatMap((a, s) =>
    order.slice(s + 1).flatMap((b): Match[] => (asked.some((m) => m.includes(a) && m.includes(b)) ? [] : [[a, b]])),
  );

/**
 * Each one's chance to be the strongest, as the product of its chances against the others; in all
 * 1.
 */
function bestChances(fit: Fit): number[] {
  const players = [...fit.theta.keys()];
  const products = players.map((i) =>
    productOf(players.flatMap((j) => (i === j ? [] : [pairPosterior(fit, i, j).chance]))),
  );
  const sum = sumOf(products);
  return products.map((product) => product / sum);
}

/** The first of a line of pairs such that nobody stands in more than `each`. */
export function spaced(line: readonly Match[], most: number, each = 2): Match[] {
  const times = new Map<number, number>();
  const taken: Match[] = [];
  for (const match of line) {
    if (taken.length === most) break;
    if (match.some((i) => (times.get(i) ?? 0) >= each)) continue;
    for (const i of match) times.set(i, (times.get(i) ?? 0) + 1);
    taken.push(match);
  }
  return taken;
}
