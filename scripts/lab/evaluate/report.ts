// Owns a run's report as HTML and Markdown: which tables, charts and warnings, in which order.
// Knows no arithmetic of the metrics.

import { barChart, lineChart, scatterChart } from "../report/charts.ts";
import type { Html } from "../report/html.ts";
import { type ReportSection, reportPage, shownNumber, type Table, tableHtml } from "../report/page.ts";
import { FRONT_METRICS, type FrontMetric, frontStatus, type Point, paretoFront } from "./pareto.ts";
import type { CellSummary, Estimate, Summary } from "./summary.ts";
import {
  adversarialTable,
  cellsTable,
  frontTable,
  positionTable,
  problemTable,
  tagTables,
  undefinedTauTable,
} from "./tables.ts";

/** One part of a report, for both formats. */
interface Part {
  title: string;
  lead: string;
  tables: readonly Table[];
  charts: readonly Html[];
}

const METRIC_NAMES: Record<FrontMetric, string> = { list_acc: "ListAcc", tau_b: "tau-b" };

/** What a reader must know before any figure; empty when all is well. */
export function warningsOf(summary: Summary): string[] {
  const ofCells = summary.cells.flatMap(
    ({ cell, parse_rate, failed, missing, warnings, list_acc_if_failed_wrong: worst }) => {
      const failures = counted(failed);
      const rate = parse_rate.mean === null ? "" : ` (${(100 * parse_rate.mean).toFixed(1)} %)`;
      return [
        warnings.includes("parse_rate_low") &&
          `${cell}: the parse rate is below 80 %${rate}. Its tau-b misleads, and it is kept off the Pareto front.`,
        warnings.includes("parse_rate_watch") && `${cell}: the parse rate is below 95 %${rate}.`,
        failures !== "" &&
          `${cell}: lists failed (${failures}). They are in no figure; the next run asks them again. If all were wrong, ListAcc would be ${(100 * (worst ?? 0)).toFixed(1)} %.`,
        missing > 0 && `${cell}: ${missing} lists were not asked yet. Run the same command again to go on.`,
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
      `adversarial lists as ${cell}: lists failed (${failures}). They are not compared; the next run asks them again.`,
    missing > 0 && `adversarial lists as ${cell}: ${missing} were not asked yet. Run the same command again to go on.`,
  ].filter((text) => text !== false);
}

function partsOf(summary: Summary): Part[] {
  const { cells, adversarial, settings, set, points } = summary;
  const main = cells.filter(({ k, both_orders }) => k === cells[0]?.k && !both_orders);
  const position = positionTable(cells);
  const warnings = warningsOf(summary);
  const flagged: Part = { title: "Warnings", lead: warnings.join("\n\n"), tables: [], charts: [] };
  return [
    ...(warnings.length === 0 ? [] : [flagged]),
    {
      title: "Results",
      lead: `ListAcc: the one candidate selected has the highest pass rate; no selection counts as wrong; guessing gives ${(100 * set.chance_list_acc).toFixed(2)} %. tau-b: win counts against pass rates, the mean over lists of ${settings.tau_candidates_min} or more candidates where it is defined; lists where it is not are counted, and both other conventions are in the second table. Intervals: ${settings.bootstrap} bootstrap resamples of whole problems.`,
      tables: [cellsTable(summary), undefinedTauTable(summary)],
      charts: [accuracyBars(main, set.chance_list_acc)],
    },
    ...selfConsistency(cells),
    ...(position === null
      ? []
      : [
          {
            title: "Position",
            lead: "Each pair asked in both orders. 50 % is a coin.",
            tables: [position],
            charts: [],
          },
        ]),
    ...(adversarial === null
      ? []
      : [
          {
            title: "Adversarial lists",
            lead: "The bias influence ratio is the share of switches between right and wrong that went to wrong: 0.5 is noise, above it the text misleads. Each list is shown in an order seeded by its content, so that a modified list may be shown in another order than its base.",
            tables: [adversarialTable(adversarial.cell, adversarial.rows)],
            charts: [],
          },
        ]),
    ...(points.length === 0 ? [] : [frontPart(points)]),
    ...main.flatMap((cell) => {
      const tables = [...tagTables(cell), problemTable(cell)].filter((table) => table !== null);
      return tables.length === 0
        ? []
        : [{ title: `Breakdown of ${cell.cell}`, lead: "", tables, charts: lengthChart(cell) }];
    }),
  ];
}

function frontPart(points: readonly Point[]): Part {
  return {
    title: "Cost",
    lead: "A point is on the front when no other is at most as dear and at least as good, and better in one of the two. Verifiers that parse less than 80 % are kept off, and push nobody off.",
    tables: [frontTable(points)],
    charts: FRONT_METRICS.filter((metric) => points.some((point) => point[metric] !== null)).map((metric) =>
      frontChart(points, metric),
    ),
  };
}

function frontChart(points: readonly Point[], metric: FrontMetric): Html {
  const status = frontStatus(points, metric);
  const short = withoutSharedWord(points.map(({ name }) => name));
  const at = (point: Point) => ({ x: point.cost, y: point[metric] as number, label: short(point.name) });
  const group = (name: string, holds: (off: (typeof status)[number]) => boolean) => ({
    name,
    points: points.filter((point, i) => point[metric] !== null && holds(status[i] ?? null)).map(at),
  });
  return scatterChart({
    title: `${METRIC_NAMES[metric]} against cost`,
    x: costAxis(points),
    y: { label: METRIC_NAMES[metric] },
    // All three also where one is empty: a colour means the same in every chart, and a legend says
    // so.
    series: [
      group("on the front", (off) => off === null),
      group("dominated", (off) => off === "dominated"),
      group("parse rate too low or unknown", (off) => off === "parse_rate_low" || off === "parse_rate_unknown"),
    ],
    front: paretoFront(points, metric).map(at),
  });
}

/**
 * Names without the verifier's, when they all begin with the same one: labels are long and points
 * are near each other.
 */
function withoutSharedWord(names: readonly string[]): (name: string) => string {
  const [first = ""] = names;
  const word = first.slice(0, first.lastIndexOf(" ") + 1);
  return names.every((name) => name.startsWith(word)) ? (name) => name.slice(word.length) : (name) => name;
}

/** Logarithmic where costs differ much, with room at both ends for the labels. */
function costAxis(points: readonly Point[]) {
  const costs = points.map(({ cost }) => cost);
  const [low, high] = [Math.min(...costs), Math.max(...costs)];
  const label = points[0]?.cost_unit ?? "cost";
  if (low > 0 && high > 8 * low) return { label, log: true, domain: [low / 1.4, high * 1.4] as const };
  const margin = 0.15 * (high - low || high || 1);
  return { label, domain: [Math.max(0, low - margin), high + margin] as const };
}

const bounds = ({ ci95 }: Estimate) => ({ low: ci95?.[0] ?? null, high: ci95?.[1] ?? null });

function accuracyBars(cells: readonly CellSummary[], chance: number): Html {
  return barChart({
    title: "ListAcc by formulation",
    about: `Guessing gives ${(100 * chance).toFixed(1)} %.`,
    value: { label: "ListAcc", domain: [0, 1] },
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
    about: "The majority of K samples, each list in a new order a sample; unparsed samples cast no vote.",
    x: { label: "K, samples a list", log: true, ticks: ks },
    y: { label: "ListAcc" },
    series,
  });
  return [{ title: "Self-consistency", lead: "The figures are in the table of results.", tables: [], charts: [chart] }];
}

function lengthChart({ cell, by_tag }: CellSummary): Html[] {
  const values = Object.entries(by_tag.length ?? {});
  if (values.length < 2) return [];
  const points = (of: (n: number, accuracy: Estimate) => { y: number; low?: number | null; high?: number | null }) =>
    values.map(([length, { list_acc }]) => ({ x: Number(length), ...of(Number(length), list_acc) }));
  return [
    lineChart({
      title: `ListAcc of ${cell} by list length`,
      x: { label: "candidates", ticks: values.map(([length]) => Number(length)) },
      y: { label: "ListAcc", domain: [0, 1] },
      series: [
        { name: cell, points: points((_, accuracy) => ({ y: accuracy.mean ?? Number.NaN, ...bounds(accuracy) })) },
        { name: "guessing", points: points((n) => ({ y: 1 / n })) },
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
const SUBTITLE = "Every list was asked through Kritai's own API.";

export function htmlReport(summary: Summary): string {
  return reportPage({
    title: titleOf(summary),
    subtitle: SUBTITLE,
    facts: factsOf(summary),
    sections: sections(partsOf(summary)),
  });
}

const sections = (parts: readonly Part[]): ReportSection[] =>
  parts.map(({ title, lead, tables, charts }) => ({ title, lead, content: [...tables.map(tableHtml), ...charts] }));

export function markdownReport(summary: Summary): string {
  const facts = factsOf(summary).map(([name, value]) => `- ${name}: ${value}`);
  return markdown(titleOf(summary), facts, partsOf(summary));
}

function markdown(title: string, facts: readonly string[], parts: readonly Part[]): string {
  const blocks = parts.flatMap(({ title: heading, lead, tables }) => [
    `## ${heading}`,
    ...(lead === "" ? [] : [lead]),
    ...tables.flatMap((table) => [`${table.caption}:`, markdownTable(table)]),
  ]);
  return `${[`# ${title}`, facts.join("\n"), ...blocks].join("\n\n")}\n`;
}

function markdownTable({ columns, rows }: Table): string {
  const text = (cell: Table["rows"][number][number]) =>
    typeof cell === "number" || cell === null ? shownNumber(cell) : String(cell).replaceAll("|", "\\|");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map((row) => line(row.map(text)))].join("\n");
}

/** Several verifiers on one set: their points and both fronts. */
export function compareReports(points: readonly Point[], facts: readonly (readonly [string, string])[]) {
  const title = "Verifiers compared";
  const parts = [frontPart(points)];
  return {
    html: reportPage({ title, subtitle: "Cost against ListAcc and tau-b.", facts, sections: sections(parts) }),
    markdown: markdown(
      title,
      facts.map(([name, value]) => `- ${name}: ${value}`),
      parts,
    ),
  };
}
