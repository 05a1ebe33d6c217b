// The study's tables of ways held against each other at the same tokens, and of scores.
import type { Cell, Estimate, Rivalry } from "./cells.ts";

const shown = (value: number | null) => (value === null ? "-" : value.toFixed(3));

export const interval = ({ mean, ci95 }: Estimate) =>
  ci95 === null ? shown(mean) : `${shown(mean)} (${shown(ci95[0])} to ${shown(ci95[1])})`;

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

export const titleOf = ({ level, style, n, noise }: Pick<Cell, "level" | "style" | "n" | "noise">) =>
  `${level}, ${style}, n = ${n}${noise === "usual" ? "" : `, ${noise}`}`;

const REGULAR = "Random regular graph with `strength` against `anchored` at the same tokens";

type Held = { cell: Cell; rivalry: Rivalry };

/** Whether an interval lies wholly on one side of 0: better or worse beyond chance. */
function sideOf({ tau, top }: Rivalry): "above" | "below" | "same" | "level" {
  const { mean, ci95 } = tau;
  if (ci95 === null) return (mean ?? 0) < 0 ? "below" : "level";
  if (ci95[1] < 0) return "below";
  if (ci95[0] > 0) return "above";
  const same = [tau, top].every(
    (estimate) => estimate.mean === 0 && estimate.ci95?.[0] === 0 && estimate.ci95[1] === 0,
  );
  return same ? "same" : "level";
}

const heldOf = (groups: readonly (readonly Cell[])[]): Held[] =>
  groups.flat().flatMap((cell) => cell.rivalries.map((rivalry) => ({ cell, rivalry })));

/** How often a regular graph is better or worse than `anchored` beyond chance. */
export function rivalrySections(groups: readonly (readonly Cell[])[]): string {
  const all = heldOf(groups);
  if (all.length === 0) return "";
  const sides = all.map(({ rivalry }) => sideOf(rivalry));
  const count = (side: string) => sides.filter((other) => other === side).length;
  return [
    "## Schedules compared at the same tokens",
    "",
    "A case is a verifier, a list length and a budget. It is better or worse if the interval of the gain in",
    "tau-b is above or below 0.",
    "",
    "| | cases | better | not distinguishable | same comparisons | worse |",
    "|---|---|---|---|---|---|",
    `| ${REGULAR} | ${sides.length} | ${count("above")} | ${count("level")} | ${count("same")} | ${count("below")} |`,
    "",
    ...regularSection(all),
  ].join("\n");
}

/** The graph's gain over anchored by what both spend, at the usual noise and n = 16 where it is. */
function regularSection(all: readonly Held[]): string[] {
  const usual = all.filter(({ cell }) => cell.noise === "usual");
  const n = usual.some(({ cell }) => cell.n === 16) ? 16 : usual[0]?.cell.n;
  const selected = usual.filter(({ cell }) => cell.n === n);
  if (n === undefined) return [];
  const levels = [...new Set(selected.map(({ cell }) => cell.level))];
  const byRow = Map.groupBy(selected, ({ cell }) => {
    const vote = cell.way.name.endsWith("soft") ? "soft" : "hard";
    return `${vote}, ${cell.style} | ${Math.round(cell.generations / (n - 1))} (n - 1)`;
  });
  const rows = [...byRow].map(([row, held]) => {
    const gains = levels.map((level) => held.find(({ cell }) => cell.level === level)?.rivalry.tau);
    return `| ${row} | ${gains.map((gain) => (gain === undefined ? "-" : interval(gain))).join(" | ")} |`;
  });
  return [
    `## ${REGULAR}`,
    "",
    `n = ${n}, usual noise: gain in tau-b of the random regular graph.`,
    "",
    `| verdicts | generations | ${levels.join(" | ")} |`,
    `|---|---|${levels.map(() => "---|").join("")}`,
    ...rows,
    "",
  ];
}

/** For each verifier the cells at n = 16 and the usual noise, or of every n without 16. */
export function middleOf(groups: readonly Cell[][]): Cell[][] {
  const usual = groups.filter(([cell]) => cell?.noise === "usual");
  const middle = usual.filter(([cell]) => cell?.n === 16);
  return middle.length > 0 ? middle : usual;
}
