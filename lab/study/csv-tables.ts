// The study's tables as CSV files: every way against every verifier, and every two ways that were held
// against each other.
import { csv } from "../report/csv.ts";
import type { Cell, Estimate } from "./cells.ts";
import { cheapestWithin, grouped, NEAR } from "./report.ts";
import { middleOf } from "./rivalry-tables.ts";

const ABOUT = ["level", "style", "n", "noise"];
const three = (value: number | null) => (value === null ? "" : value.toFixed(3));
const estimated = ({ mean, ci95 }: Estimate) => [three(mean), three(ci95?.[0] ?? null), three(ci95?.[1] ?? null)];
const columnsOf = (name: string) => [name, `${name}_low`, `${name}_high`];

/**
 * By file name: `cells.csv`, a row a way and verifier (`share` of the reference's tokens; tau-b and
 * top-1 with 95 % intervals, empty where there is none), `rivalries.csv`, what a way gained over
 * another, `scores.csv`, some ways' order by each score, of the cells that the page is about, and
 * `cheapest.csv`, what comes near the reference for the fewest tokens; no way where none does.
 */
export function csvTables(cells: readonly Cell[]): Record<string, string> {
  const conditionsOf = ({ level, style, n, noise }: Cell) => [level, style, n, noise];
  const cellRows = cells.map((cell) => [
    ...conditionsOf(cell),
    ...[cell.lists, cell.way.name, cell.generations.toFixed(1), cell.waves.toFixed(1), cell.share.toFixed(4)],
    ...[...estimated(cell.tau), ...estimated(cell.top)],
  ]);
  const held = cells.flatMap((cell) =>
    cell.rivalries.map(({ rival, generations, tau, top }) => [
      ...conditionsOf(cell),
      ...[cell.way.name, cell.generations.toFixed(1), rival, generations.toFixed(1)],
      ...[...estimated(tau), ...estimated(top)],
    ]),
  );
  const scored = middleOf(cells.map((cell) => [cell]))
    .flat()
    .flatMap((cell) =>
      Object.entries(cell.scores ?? {}).map(([score, { tau, top }]) => [
        ...[...conditionsOf(cell), cell.way.name, score],
        ...[three(tau.mean), three(top.mean)],
      ]),
    );
  const nearest = grouped(cells).flatMap((group) =>
    (["tau", "top"] as const).map((metric) => {
      const found = cheapestWithin(group, metric, NEAR);
      const fields =
        found === null
          ? ["", "", "", "", ""]
          : [found.way.name, (100 * found.share).toFixed(1), ...estimated(found[`${metric}_gain`])];
      return [...conditionsOf(group[0] as Cell), metric === "tau" ? "tau_b" : "top_1", ...fields];
    }),
  );
  const reached = ["lists", "way", "generations", "waves", "share", ...columnsOf("tau_b"), ...columnsOf("top_1")];
  const gained = ["way", "generations", "rival", "rival_generations"];
  return {
    "cells.csv": csv([...ABOUT, ...reached], cellRows),
    "rivalries.csv": csv([...ABOUT, ...gained, ...columnsOf("tau_b_gain"), ...columnsOf("top_1_gain")], held),
    "cheapest.csv": csv([...ABOUT, "metric", "way", "share_percent", ...columnsOf("gain")], nearest),
    "scores.csv": csv([...ABOUT, "way", "score", "tau_b", "top_1"], scored),
  };
}
