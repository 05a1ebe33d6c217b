// A run's steps as a table that is kept while the run goes on, and as CSV.
import { link, liveTable } from "./dom.ts";
import type { StepRow } from "./log.ts";
import { counted, figure, percent } from "./numbers.ts";

export function csv(rows: readonly StepRow[]): string {
  const columns = Object.keys(rows[0] ?? {}) as (keyof StepRow)[];
  const cell = (value: unknown) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : `${value ?? ""}`;
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))]
    .map((line) => line.map(quoted).join(","))
    .join("\n");
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);

const ROWS_SHOWN = 50;

/** The last steps, newest first, and what the table is called. */
function lastOf(rows: readonly StepRow[]): [caption: string, shown: StepRow[]] {
  const steps = rows.filter(({ step }) => step !== null);
  const shown = steps.slice(-ROWS_SHOWN).reverse();
  const part = `the last ${shown.length} of ${steps.length} steps`;
  return [shown.length < steps.length ? part : counted(shown.length, "step"), shown];
}

export interface StepTable {
  element: HTMLElement;
  update(rows: readonly StepRow[]): void;
}

/** Where labels came there is a ListAcc, and tau-b may still be defined in no group. */
const tauOf = ({ tau_b_mean, list_acc }: StepRow): string =>
  tau_b_mean === null && list_acc !== null ? "undefined" : figure(tau_b_mean);

/** @param href the page of a step */
export function stepTable(rows: readonly StepRow[], href: (step: number) => string): StepTable {
  const [caption, shown] = lastOf(rows);
  const { element, update } = liveTable<StepRow>(
    caption,
    [
      {
        title: "step",
        cell: ({ step }) => link(href(step as number), `${step}`),
        sortValue: ({ step }) => step,
        number: true,
      },
      {
        title: "mean reward",
        cell: (row) => figure(row.reward_mean),
        sortValue: (row) => row.reward_mean,
        number: true,
      },
      { title: "std", cell: (row) => figure(row.reward_std), sortValue: (row) => row.reward_std, number: true },
      {
        title: "groups with equal rewards",
        cell: (row) => percent(row.zero_variance_share),
        sortValue: (row) => row.zero_variance_share,
        number: true,
      },
      { title: "parse rate", cell: (row) => percent(row.parse_rate), sortValue: (row) => row.parse_rate, number: true },
      { title: "tau-b", cell: tauOf, sortValue: (row) => row.tau_b_mean, number: true },
      {
        title: "median length",
        cell: (row) => figure(row.length_tokens.p50),
        sortValue: (row) => row.length_tokens.p50,
        number: true,
      },
      {
        title: "generations",
        cell: (row) => figure(row.generations),
        sortValue: (row) => row.generations,
        number: true,
      },
      {
        title: "failed generations",
        cell: ({ errors }) => figure(sum(errors)),
        sortValue: ({ errors }) => sum(errors),
        number: true,
      },
    ],
    shown,
  );
  return { element, update: (now) => update(...lastOf(now)) };
}
