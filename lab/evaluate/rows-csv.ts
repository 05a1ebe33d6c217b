// An evaluation's figures as CSV, a line a way of asking. Intervals are in separate columns.
import { csv } from "../report/csv.ts";
import type { Estimate } from "./figures/estimate.ts";
import type { CellSummary } from "./summary.ts";

const METRICS = ["list_acc", "tau_b", "parse_rate"] as const;
const PLAIN = [
  ...["lists", "missing", "comparisons", "generations", "prompt_tokens", "completion_tokens"],
  ...["tokens_per_list", "dollars_per_1000_lists"],
] as readonly (keyof CellSummary)[];

const estimated = ({ mean, ci95 }: Pick<Estimate, "mean" | "ci95">) => [mean, ci95?.[0] ?? null, ci95?.[1] ?? null];

/** Shares and tau-b as they are, not in per cent; an empty cell for a missing figure. */
export function rowsCsv(cells: readonly CellSummary[]): string {
  const failures = ({ failed }: CellSummary) => Object.values(failed).reduce((sum, n) => sum + n, 0);
  return csv(
    ["cell", ...METRICS.flatMap((name) => [name, `${name}_low`, `${name}_high`]), "failed", ...PLAIN],
    cells.map((row) => [
      row.cell,
      ...METRICS.flatMap((name) => estimated(row[name])),
      failures(row),
      ...PLAIN.map((name) => row[name] as number | null),
    ]),
  );
}
