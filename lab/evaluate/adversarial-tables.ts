// The tables of modified lists, and of the test sets that they belong to. Knows neither markup.
import type { Table } from "../report/page.ts";
import { type Estimate, percent, plain } from "./figures/estimate.ts";
import type { CellSummary, ModificationSummary } from "./summary.ts";

export function adversarialTable(cell: string, rows: readonly ModificationSummary[]): Table {
  return {
    caption: `Effect of misleading text in the programs, ${cell}`,
    columns: [
      "modification",
      "bias influence ratio",
      "right to wrong",
      "wrong to right",
      "wrong to wrong",
      "compared",
      "not compared",
    ],
    rows: rows.map((row) => [
      row.modification,
      plain(row.bias_influence_ratio),
      row.to_incorrect,
      row.to_correct,
      row.wrong_to_wrong,
      row.compared,
      row.not_compared,
    ]),
  };
}

const SHIFTS = ["heldout", "strong", "hard"] as const;

/**
 * Both metrics on each of the paper's test sets that the set has, modified lists under the kept
 * modifications among them, and their plain mean; null where there is one alone.
 */
export function shiftTable(cell: CellSummary, modified: readonly ModificationSummary[]): Table | null {
  const keptMetrics = modified.find(({ modification }) => modification === "all kept")?.metrics?.after;
  const rows = [
    ...SHIFTS.flatMap((shift) => {
      const metrics = cell.by_tag.shift?.[shift];
      return metrics === undefined ? [] : [{ name: shift as string, list_acc: metrics.list_acc, tau_b: metrics.tau_b }];
    }),
    ...(keptMetrics === undefined ? [] : [{ name: "adversarial", ...keptMetrics }]),
  ];
  if (rows.length < 2) return null;
  const meanOf = (metric: "list_acc" | "tau_b"): Pick<Estimate, "mean" | "ci95"> => {
    const means = rows.map((row) => row[metric].mean);
    const known = means.filter((mean) => mean !== null);
    return {
      mean: known.length < means.length ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length,
      ci95: null,
    };
  };
  return {
    caption: `The paper's test sets, ${cell.cell} (95 % intervals)`,
    columns: ["test set", "ListAcc %", "tau-b", "lists"],
    rows: [
      ...rows.map(({ name, list_acc, tau_b }) => [name, percent(list_acc), plain(tau_b), list_acc.n]),
      [`mean of ${rows.length}`, percent(meanOf("list_acc")), plain(meanOf("tau_b")), null],
    ],
  };
}

/** Both metrics without and with the misleading text, over the same lists; null where none is known. */
export function adversarialMetricsTable(cell: string, rows: readonly ModificationSummary[]): Table | null {
  const known = rows.flatMap(({ modification, metrics }) =>
    metrics === undefined ? [] : [{ modification, ...metrics }],
  );
  if (known.length === 0) return null;
  return {
    caption: `Both metrics without and with the misleading text, ${cell} (95 % intervals)`,
    columns: [
      "modification",
      ...["ListAcc %", "tau-b"].flatMap((name) => [`${name}, without`, "with", "change"]),
      "lists",
    ],
    rows: known.map(({ modification, before, after, change }) => [
      modification,
      ...[before.list_acc, after.list_acc, change.list_acc].map(percent),
      ...[before.tau_b, after.tau_b, change.tau_b].map(plain),
      change.list_acc.n,
    ]),
  };
}
