// The value of asking a pair under the Bradley-Terry posterior, and the choice of the next wave by that
// value.

import { type Fit, pairPosterior } from "../../math/bradley-terry.ts";
import { sigmoid } from "../../math/elementary.ts";
import type { Match } from "./schedule.ts";

/**
 * Value of asking a pair under a posterior (Laplace): the probability that the current order of the two is
 * wrong, times the information that an answer gives about the strength difference, p (1 - p) sd^2.
 */
export const worthIn =
  (fit: Fit) =>
  ([i = 0, j = 0]: Match): number => {
    const { variance, chance } = pairPosterior(fit, i, j);
    const p = sigmoid((fit.theta[i] as number) - (fit.theta[j] as number));
    return Math.min(chance, 1 - chance) * p * (1 - p) * variance;
  };

/** All pairs of the given candidates that have not been asked yet. */
export const unasked = (order: readonly number[], asked: readonly Match[]): Match[] =>
  order.flatMap((a, s) =>
    order.slice(s + 1).flatMap((b): Match[] => (asked.some((m) => m.includes(a) && m.includes(b)) ? [] : [[a, b]])),
  );

/** Maximum number of pairs per candidate in one wave. */
const EACH_MAX = 2;

/**
 * The first `maxMatches` pairs of a list, skipping pairs that would exceed `EACH_MAX` pairs for a candidate.
 */
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
