// Defines what a pair is worth asking under the Bradley-Terry posterior, and the wave of those worth most.

import { type Fit, pairPosterior } from "../../math/bradley-terry.ts";
import { sigmoid } from "../../math/elementary.ts";
import type { Match } from "./schedule.ts";

/**
 * Worth of a pair under a posterior (Laplace): the chance that its order is wrong, times the
 * information of an answer about its gap, p (1 - p) sd^2.
 */
export const worthIn =
  (fit: Fit) =>
  ([i = 0, j = 0]: Match): number => {
    const { variance, chance } = pairPosterior(fit, i, j);
    const p = sigmoid((fit.theta[i] as number) - (fit.theta[j] as number));
    return Math.min(chance, 1 - chance) * p * (1 - p) * variance;
  };

/** The pairs of a line of candidates that are not among those asked. */
export const unasked = (order: readonly number[], asked: readonly Match[]): Match[] =>
  order.flatMap((a, s) =>
    order.slice(s + 1).flatMap((b): Match[] => (asked.some((m) => m.includes(a) && m.includes(b)) ? [] : [[a, b]])),
  );

/** Pairs of a candidate in one wave at most. */
const EACH_MAX = 2;

/** The first pairs of a line, `most` of them, no candidate in more than `EACH_MAX` of them. */
export function spaced(line: readonly Match[], maxMatches: number): Match[] {
  const times = new Map<number, number>();
  const taken: Match[] = [];
  for (const match of line) {
    if (taken.length === maxMatches) break;
    if (match.some((i) => (times.get(i) ?? 0) >= EACH_MAX)) continue;
    for (const i of match) times.set(i, (times.get(i) ?? 0) + 1);
    taken.push(match);
  }
  return taken;
}
