// Paired comparisons: one way of asking against another over the same lists, and against guessing, with
// intervals.

import { hashText } from "../../src/core/math/random.ts";
import { clusteredRatio } from "../statistics/clusters.ts";
import type { Estimate } from "./figures/estimate.ts";
import type { Statistics } from "./summarise.ts";
import type { CellSummary, Outcomes, ProblemOutcomes } from "./summary.ts";

/** How an estimate stands to a value: decided only where its interval does not hold it. */
export type Standing = "above" | "below" | "open" | "unknown";

export function classifyEstimate({ mean, ci95 }: Pick<Estimate, "mean" | "ci95">, value: number): Standing {
  if (mean === null || ci95 === null) return "unknown";
  if (ci95[0] > value) return "above";
  return ci95[1] < value ? "below" : "open";
}

const listsOf = ({ right, wrong, no_selection }: Outcomes): number => right + wrong + no_selection;

/** Right lists of `own` less those of `beside`, and over how many lists that both answered. */
function lead(outcomes: ProblemOutcomes, beside: ProblemOutcomes): { over: number; under: number } {
  const { right_lists: mine = {} } = outcomes;
  const { right_lists: theirs = {} } = beside;
  const both = Object.keys(mine).filter((list) => theirs[list] !== undefined);
  const over = both.reduce((sum, list) => sum + Number(mine[list]) - Number(theirs[list]), 0);
  if (both.length > 0) return { over, under: both.length };
  // In summaries without lists a problem counts where both answered as many.
  const hasLists = Object.keys(mine).length > 0 && Object.keys(theirs).length > 0;
  const alike = !hasLists && listsOf(outcomes) === listsOf(beside);
  return alike ? { over: outcomes.right - beside.right, under: listsOf(outcomes) } : { over: 0, under: 0 };
}

/**
 * ListAcc of `one` less that of `other`, over the lists that both answered: the mean over lists,
 * with a 95 % bootstrap interval that draws whole problems, both sides at once.
 */
export function pairedDifference(
  row: Pick<CellSummary, "by_problem">,
  other: Pick<CellSummary, "by_problem">,
  { seed, bootstrap }: Pick<Statistics, "seed" | "bootstrap">,
): Estimate {
  const observations = Object.entries(row.by_problem).flatMap(([problem, outcomes]) => {
    const beside = other.by_problem[problem];
    if (beside === undefined) return [];
    const { over, under } = lead(outcomes, beside);
    return under === 0 ? [] : [{ over, under, cluster: problem }];
  });
  const difference = clusteredRatio(observations, {
    resamples: bootstrap,
    seed: hashText(seed, "paired"),
    range: [-1, 1],
  });
  return { ...difference, n: observations.reduce((sum, { under }) => sum + under, 0) };
}

/**
 * Mean tau-b of `one` less that of `other`, list by list over those of which both have one: a list
 * whose win counts are all equal on a side is in neither. With a 95 % bootstrap interval that draws
 * whole problems, as `pairedDifference` does.
 */
export function pairedTauDifference(
  row: Pick<CellSummary, "by_problem">,
  other: Pick<CellSummary, "by_problem">,
  { seed, bootstrap }: Pick<Statistics, "seed" | "bootstrap">,
): Estimate {
  const observations = Object.entries(row.by_problem).flatMap(([cluster, { tau_b = {} }]) => {
    const beside = other.by_problem[cluster]?.tau_b ?? {};
    return Object.entries(tau_b).flatMap(([list, tau]) => {
      const theirs = beside[list];
      return theirs === undefined ? [] : [{ over: tau - theirs, under: 1, cluster }];
    });
  });
  return clusteredRatio(observations, { resamples: bootstrap, seed: hashText(seed, "paired tau-b"), range: [-2, 2] });
}
