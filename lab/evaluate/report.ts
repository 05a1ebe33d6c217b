// A run's report as HTML and Markdown: which tables, charts and warnings, in which order.

import type { Html } from "../../scripts/build/reference/html.ts";
import { barChart, lineChart } from "../report/charts.ts";
import { exportsOf } from "../report/exports.ts";
import { reportPage, type Table } from "../report/page.ts";
import { markdown, type Part, sections } from "../report/parts.ts";
import { adversarialMetricsTable, adversarialTable, shiftTable } from "./adversarial-tables.ts";
import { wrongTable } from "./asking/wrong-lists.ts";
import { SHARES } from "./figures/coverage.ts";
import type { Estimate } from "./figures/estimate.ts";
import { frontPart } from "./front-part.ts";
import { comparedHeadline, headlineOf } from "./headline.ts";
import type { Point } from "./pareto.ts";
import type { CellSummary, Summary } from "./summary.ts";
import {
  cellsTable,
  coverageTable,
  differencesOf,
  pairedTables,
  positionTable,
  problemTable,
  tagTables,
  undefinedTauTable,
} from "./tables.ts";

/** The warnings before any figure; empty when all is well. */
export function warningsOf(summary: Summary): string[] {
  const ofCells = summary.cells.flatMap(
    ({ cell, parse_rate, failed, missing, warnings, list_acc_if_failed_wrong: worst }) => {
      const failures = counted(failed);
      const rate = parse_rate.mean === null ? "" : ` (${(100 * parse_rate.mean).toFixed(1)} %)`;
      return [
        warnings.includes("parse_rate_low") &&
          `${cell}: the parse rate is below 80 %${rate}. Its tau-b is misleading, so it is excluded from the Pareto front.`,
        warnings.includes("parse_rate_watch") && `${cell}: the parse rate is below 95 %${rate}.`,
        failures !== "" &&
          `${cell}: lists failed (${failures}). They are excluded from all figures; the next run retries them. If all were wrong, ListAcc would be ${(100 * (worst ?? 0)).toFixed(1)} %.`,
        missing > 0 && `${cell}: ${missing} lists are not evaluated yet. Run the same command again to resume.`,
      ].filter((text) => text !== false);
    },
  );
  return [...ofCells, ...adversarialWarnings(summary)];
}

/** `3 deadline, 1 overloaded`. */
const counted = (failed: Record<string, number>) =>
  Object.entries(failed)
    .map(([code, n]) => `${n} ${code}`)
    .join(", ");

function adversarialWarnings({ adversarial }: Summary): string[] {
  if (adversarial === null) return [];
  const { cell, failed, missing } = adversarial;
  const failures = counted(failed);
  return [
    failures !== "" &&
      `adversarial lists, ${cell}: lists failed (${failures}). They are not compared; the next run retries them.`,
    missing > 0 &&
      `adversarial lists, ${cell}: ${missing} are not evaluated yet. Run the same command again to resume.`,
  ].filter((text) => text !== false);
}

function partsOf(summary: Summary): Part[] {
  const { cells, adversarial, settings, set, points } = summary;
  const main = cells.filter(({ k, both_orders }) => k === cells[0]?.k && !both_orders);
  const position = positionTable(cells);
  const warnings = warningsOf(summary);
  return [
    {
      title: "Results",
      lead: warnings.join("\n\n"),
      tables: [cellsTable(summary)],
      charts: [accuracyBars(main, set.chance_list_acc)],
    },
    {
      title: "Comparisons",
      lead: `ListAcc: share of lists in which the selected candidate has the highest pass rate; no selection counts as wrong; chance is ${(100 * set.chance_list_acc).toFixed(2)} %. tau-b: rank correlation of win counts with pass rates, averaged over lists of ${settings.tau_candidates_min} or more candidates where it is defined; the last table counts the undefined lists and shows both other conventions. Intervals: ${settings.bootstrap} bootstrap resamples of whole problems.`,
      tables: [...shifts(summary), ...paired(summary), undefinedTauTable(summary)],
      charts: [],
    },
    ...selfConsistency(cells),
    ...abstaining(main),
    ...(position === null
      ? []
      : [
          {
            title: "Position",
            lead: "Each pair is judged in both orders. A random verifier flips 50 %.",
            tables: [position],
            charts: [],
          },
        ]),
    ...(adversarial === null
      ? []
      : [
          {
            title: "Adversarial lists",
            lead: "The bias influence ratio is the share of flips between right and wrong that went to wrong: 0.5 is noise, above 0.5 the text misleads the verifier. The order of a list is seeded by its content, so a modified list may be shown in a different order than the original.",
            tables: [
              adversarialTable(adversarial.cell, adversarial.rows),
              adversarialMetricsTable(adversarial.cell, adversarial.rows),
            ].filter((table) => table !== null),
            charts: [],
          },
        ]),
    ...(points.length === 0 ? [] : [frontPart(points, set.chance_list_acc)]),
    ...main.flatMap((cell) => {
      const tables = [...tagTables(cell), problemTable(cell)].filter((table) => table !== null);
      return tables.length === 0
        ? []
        : [{ title: `Breakdown of ${cell.cell}`, lead: "", tables, charts: lengthChart(cell) }];
    }),
    ...wrongPart(main, summary),
  ];
}

function wrongPart(main: readonly CellSummary[], { wrong }: Summary): Part[] {
  const tables = main.map(({ cell }) => wrongTable(cell, wrong)).filter((table) => table !== null);
  const lead = "The verifier's texts come from the run log. Of a long text only the end is shown.";
  return tables.length === 0 ? [] : [{ title: "Wrong lists", lead, tables, charts: [] }];
}

function paired({ cells, settings }: Summary): Table[] {
  const [first, ...others] = cells;
  const pairs = others.flatMap((row) =>
    first === undefined ? [] : [{ label: row.cell, against: first.cell, row, other: first }],
  );
  return pairedTables(differencesOf(pairs, settings));
}

/** For the first way in which modified lists were asked. */
function shifts({ cells: [first], adversarial }: Summary): Table[] {
  const table = first === undefined ? null : shiftTable(first, adversarial?.rows ?? []);
  return table === null ? [] : [table];
}

const bounds = ({ ci95 }: Estimate) => ({ low: ci95?.[0] ?? null, high: ci95?.[1] ?? null });

function accuracyBars(cells: readonly CellSummary[], chance: number): Html {
  return barChart({
    title: "ListAcc by formulation",
    description: `Chance is ${(100 * chance).toFixed(1)} %.`,
    value: { label: "ListAcc", domain: [0, 1] },
    rules: [{ at: chance, name: "chance" }],
    bars: cells.map(({ cell, list_acc }) => ({ name: cell, value: list_acc.mean ?? Number.NaN, ...bounds(list_acc) })),
  });
}

function selfConsistency(cells: readonly CellSummary[]): Part[] {
  const plain = cells.filter(({ both_orders }) => !both_orders);
  const series = [...new Set(plain.map(({ formulation }) => formulation))]
    .map((name) => ({
      name,
      points: plain
        .filter(({ formulation }) => formulation === name)
        .map(({ k, list_acc }) => ({ x: k, y: list_acc.mean ?? Number.NaN, ...bounds(list_acc) })),
    }))
    .filter(({ points }) => points.length > 1);
  if (series.length === 0) return [];
  const ks = [...new Set(plain.map(({ k }) => k))];
  const chart = lineChart({
    title: "Self-consistency",
    description:
      "Majority vote over K samples. Each sample shows the list in a new order; unparsed samples cast no vote.",
    x: { label: "K, samples per list", log: true, ticks: ks },
    y: { label: "ListAcc" },
    series,
  });
  return [{ title: "Self-consistency", lead: "The values are in the results table.", tables: [], charts: [chart] }];
}

function abstaining(cells: readonly CellSummary[]): Part[] {
  const table = coverageTable(cells);
  if (table === null) return [];
  const chart = lineChart({
    title: "Coverage against ListAcc",
    description: "ListAcc when only the lists with the widest margins between winner and runner-up are answered.",
    x: { label: "share of lists answered", ticks: [...SHARES].reverse() },
    y: { label: "ListAcc", domain: [0, 1] },
    series: cells.map(({ cell, coverage }) => ({
      name: cell,
      points: coverage.map(({ share, list_acc }) => ({
        x: share,
        y: list_acc.mean ?? Number.NaN,
        ...bounds(list_acc),
      })),
    })),
  });
  const lead =
    "Selective accuracy: the verifier abstains on the lists with the narrowest margins first. AURC: mean risk (share wrong) over all coverages, 0 at best; with uninformative margins it equals the share of wrong lists.";
  return [{ title: "Abstention", lead, tables: [table], charts: [chart] }];
}

function lengthChart({ cell, by_tag }: CellSummary): Html[] {
  const values = Object.entries(by_tag.length ?? {});
  if (values.length < 2) return [];
  const points = (
    toPoint: (n: number, accuracy: Estimate) => { y: number; low?: number | null; high?: number | null },
  ) => values.map(([length, { list_acc }]) => ({ x: Number(length), ...toPoint(Number(length), list_acc) }));
  return [
    lineChart({
      title: `ListAcc of ${cell} by list length`,
      x: { label: "candidates", ticks: values.map(([length]) => Number(length)) },
      y: { label: "ListAcc", domain: [0, 1] },
      series: [
        { name: cell, points: points((_, accuracy) => ({ y: accuracy.mean ?? Number.NaN, ...bounds(accuracy) })) },
        { name: "chance", points: points((n) => ({ y: 1 / n })) },
      ],
    }),
  ];
}

function factsOf(summary: Summary): [string, string][] {
  const { set, target, price, settings } = summary;
  return [
    ["Target", target],
    ["Set", `${set.name}, split ${set.split}: ${set.lists} lists of ${set.problems} problems`],
    ["Set manifest", `sha256:${set.sha256}`],
    ["Spec", JSON.stringify(settings.spec)],
    [
      "Price",
      price === null
        ? "not given"
        : `$${price.gpu_hour} per GPU hour, ${price.gpus} GPUs, ${price.tokens_per_second} tokens/s`,
    ],
    ["Commit", summary.commit],
    ["At", summary.at],
    ["Command", summary.command],
  ];
}

const titleOf = ({ name }: Summary) => `Evaluation: ${name}`;
const SUBTITLE = "Every list was judged through Kritai's API.";

/** The page, and the tables and charts as separate files, by name. */
export function htmlReport(summary: Summary): { page: string; files: Record<string, string> } {
  const parts = sections(partsOf(summary));
  const page = reportPage({
    title: titleOf(summary),
    subtitle: SUBTITLE,
    headline: headlineOf(summary),
    facts: factsOf(summary),
    sections: parts,
  });
  return { page, files: exportsOf(parts) };
}

export function markdownReport(summary: Summary): string {
  const facts = factsOf(summary).map(([name, value]) => `- ${name}: ${value}`);
  return markdown(titleOf(summary), headlineOf(summary), facts, partsOf(summary));
}

/** Several verifiers on one set: their points and both fronts. */
export function compareReports(
  points: readonly Point[],
  facts: readonly (readonly [string, string])[],
  chance: number | null,
  differences: readonly Table[],
) {
  const title = "Verifiers compared";
  const headline = comparedHeadline(points);
  const parts = [frontPart(points, chance, differences)];
  const pages = sections(parts);
  return {
    html: reportPage({ title, subtitle: "Cost against ListAcc and tau-b.", headline, facts, sections: pages }),
    files: exportsOf(pages),
    markdown: markdown(
      title,
      headline,
      facts.map(([name, value]) => `- ${name}: ${value}`),
      parts,
    ),
  };
}
