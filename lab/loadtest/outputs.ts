// The files of a run besides the report: one line a request, histogram logs, the summary, a table of points.
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HistogramLogWriter } from "hdr-histogram-js";
import { csv } from "../report/csv.ts";
import { replaceFiles } from "../report/exports.ts";
import type { SliceNote } from "./run.ts";
import type { FinishedSlice } from "./slice.ts";
import { type Point, type Side, SPLIT_PARTS, type Summary, SummarySchema } from "./summary-schema.ts";

export const FILES = {
  summary: "summary.json",
  requests: "requests.jsonl",
  histograms: "latency.hlog",
  points: "points.csv",
  report: "report.html",
} as const;

/** Rows written at once: bounds the text held beside the rows. */
const ROWS_A_WRITE = 10_000;

/** Six significant digits: what a clock can tell, and files of half the size. */
const rounded = (_: string, value: unknown) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;

/**
 * Writes as the run goes, into a folder that is there; files of an earlier run in the same folder
 * are replaced.
 */
export class Outputs {
  readonly #dir: string;
  readonly #histograms: HistogramLogWriter;

  constructor(dir: string) {
    this.#dir = dir;
    // Else a run that is killed would leave an earlier one's report beside its own requests.
    for (const name of [FILES.summary, FILES.points, FILES.report]) rmSync(join(dir, name), { force: true });
    writeFileSync(join(dir, FILES.requests), "");
    writeFileSync(join(dir, FILES.histograms), "");
    this.#histograms = new HistogramLogWriter((text) => appendFileSync(join(dir, FILES.histograms), text));
    this.#histograms.outputComment(
      "[Latency in microseconds from the intended start; tags name side, load and repeat]",
    );
    this.#histograms.outputLogFormatVersion();
    this.#histograms.outputLegend();
  }

  slice({ side, repeat, rate, concurrency }: SliceNote, { recorder, started_at, measured_s }: FinishedSlice): void {
    const { rows, latency } = recorder;
    for (let at = 0; at < rows.length; at += ROWS_A_WRITE) {
      const lines = rows
        .slice(at, at + ROWS_A_WRITE)
        .map((row) => `${JSON.stringify({ side, repeat, rate, concurrency, ...row }, rounded)}\n`);
      appendFileSync(join(this.#dir, FILES.requests), lines.join(""));
    }
    const load = rate === null ? `concurrency-${concurrency}` : `rate-${Number(rate.toFixed(3))}`;
    latency.tag = `${side}-${load}-repeat-${repeat}`;
    this.#histograms.outputIntervalHistogram(latency, started_at / 1000, started_at / 1000 + measured_s);
  }

  /** The summary (checked against its schema) and the table. */
  summary(summary: Summary): void {
    const text = JSON.stringify(SummarySchema.parse(summary), rounded, 1);
    writeFileSync(join(this.#dir, FILES.summary), `${text}\n`);
    writeFileSync(join(this.#dir, FILES.points), pointsCsv(summary.points));
  }

  /** @returns the page's path */
  report({ page, files }: { page: string; files: Readonly<Record<string, string>> }): string {
    const path = join(this.#dir, FILES.report);
    writeFileSync(path, page);
    replaceFiles(join(this.#dir, "export"), files);
    return path;
  }
}

type Column = [name: string, of: (side: Side, point: Point) => string | number | null];

const COLUMNS: Column[] = [
  ["rate", (_, { rate }) => rate],
  ["concurrency", (_, { concurrency }) => concurrency],
  ["overloaded", (_, { overloaded }) => (overloaded.length > 0 ? 1 : 0)],
  ["requests", ({ requests }) => requests],
  ["failed", ({ failed }) => failed],
  ["offered_per_s", ({ offered_per_s }) => offered_per_s.value],
  ["achieved_per_s", ({ achieved_per_s }) => achieved_per_s.value],
  ["goodput_per_s", ({ goodput_per_s }) => goodput_per_s.value],
  ...(["p50", "p90", "p95", "p99", "p999", "mean"] as const).map(
    (name): Column => [`latency_${name}_ms`, ({ latency_ms }) => latency_ms[name].value],
  ),
  ["latency_max_ms", ({ latency_ms }) => latency_ms.max],
  ["rewards_per_s", ({ rewards_per_s }) => rewards_per_s.value],
  ["comparisons_per_s", ({ comparisons_per_s }) => comparisons_per_s.value],
  ["tokens_per_s", ({ tokens_per_s }) => tokens_per_s.value],
  ["parse_rate", ({ parse_rate }) => parse_rate],
  ["completion_tokens_per_reward", (side) => side.completion_tokens_per_reward],
  ["prompt_tokens_per_reward", (side) => side.prompt_tokens_per_reward],
  ["dollars_per_1000_rewards_measured", (side) => side.dollars_per_1000_rewards.measured],
  ["dollars_per_1000_rewards_modelled", (side) => side.dollars_per_1000_rewards.modelled],
  ...SPLIT_PARTS.map((name): Column => [`split_${name}_ms`, ({ split_ms }) => split_ms[name] ?? null]),
];

/** One row a point and side; unknown values are empty. */
export function pointsCsv(points: readonly Point[]): string {
  const rows = points.flatMap((point) =>
    (["target", "baseline"] as const).flatMap((name) => {
      const side = point[name];
      return side === null ? [] : [[name, ...COLUMNS.map(([, read]) => read(side, point))]];
    }),
  );
  return csv(["side", ...COLUMNS.map(([name]) => name)], rows);
}
