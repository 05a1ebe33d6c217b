// The sentence that an evaluation's report begins with.

import { percent, plain } from "./figures/estimate.ts";
import { classifyEstimate } from "./paired.ts";
import { FRONT_METRICS, type Point, paretoFront } from "./pareto.ts";
import type { CellSummary, Summary } from "./summary.ts";

/** A ListAcc with the value of guessing. */
export function besideGuessing({ list_acc }: Pick<CellSummary, "list_acc">, chance: number): string {
  const words = { above: "above chance", below: "below chance", open: "not distinguishable from chance" };
  const found = classifyEstimate(list_acc, chance);
  return found === "unknown" ? "not compared with chance: no interval" : words[found];
}

/** For the first way of asking: what it selects, against guessing, and how much of it could be read. */
export function headlineOf({ name, cells, set }: Summary): string {
  const [main] = cells;
  if (main === undefined || main.list_acc.mean === null) return `${name}: no list could be evaluated.`;
  const chance = (100 * set.chance_list_acc).toFixed(1);
  const tau = plain(main.tau_b);
  const beside = tau === null ? "" : `; tau-b ${tau}`;
  return `${name}, ${main.cell}: the best candidate is selected in ${percent(main.list_acc)} % of ${main.lists} lists, ${besideGuessing(main, set.chance_list_acc)} (${chance} %)${beside}; parse rate ${percent(main.parse_rate) ?? "–"} %.`;
}

/** For several verifiers: which are on the fronts. */
export function comparedHeadline(points: readonly Point[]): string {
  const fronts = FRONT_METRICS.map((metric) => paretoFront(points, metric).map(({ name }) => name));
  const names = [...new Set(fronts.flat())];
  if (names.length === 0)
    return "No point qualifies for a Pareto front: each lacks ListAcc and tau-b, or its parse rate is too low.";
  return `${names.length} of ${points.length} points ${names.length === 1 ? "is" : "are"} on a Pareto front of cost and quality: ${names.join(", ")}.`;
}
