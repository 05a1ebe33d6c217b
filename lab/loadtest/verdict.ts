// The lines printed when a run has ended. The whole is in the report: report.ts.
import { shownNumber } from "../report/page.ts";
import { warmupCaution } from "./caution.ts";
import { kneePlace } from "./knee.ts";
import type { Point, Side, Summary } from "./summary-schema.ts";

const CODES_SHOWN = 3;

const shown = (value: number | null | undefined, unit: string) =>
  value == null ? "–" : `${shownNumber(value)}${unit}`;
const ms = (value: number | null | undefined) => shown(value, " ms");
const perSecond = (rate: number) => `${shownNumber(rate)}/s`;

/** How many failed, and of what: the most frequent codes. */
function failedText({ failed, requests, errors }: Side): string {
  const codes = Object.entries(errors).sort(([, a], [, b]) => b - a);
  const named = codes.slice(0, CODES_SHOWN).map(([code, count]) => `${count} ${code}`);
  return `${failed} of ${requests} failed (${named.join(", ")}${codes.length > CODES_SHOWN ? ", .." : ""})`;
}

function lineOf({ rate, concurrency, target, baseline, overhead_ms, overloaded }: Point): string {
  const load = rate === null ? `${concurrency} clients` : `target ${perSecond(rate)}`;
  const { p50, p99, p999 } = target.latency_ms;
  const overhead = baseline === null ? "" : `, overhead p50 ${ms(overhead_ms?.p50.value)}`;
  const failed = target.failed === 0 ? "" : `, ${failedText(target)}`;
  const beside = baseline === null || baseline.failed === 0 ? "" : `, baseline: ${failedText(baseline)}`;
  const over = overloaded.length === 0 ? "" : `  overloaded: ${overloaded.join("; ")}`;
  const late = target.generator.late ? "  load generator late: these latencies include its own delay" : "";
  const latency = `p50 ${ms(p50.value)}, p99 ${ms(p99.value)}, p99.9 ${ms(p999.value)}`;
  return `${load}: achieved ${shown(target.achieved_per_s.value, "/s")}, ${latency}${overhead}${failed}${beside}${over}${late}`;
}

/** A line a point, where the knee is, and why the run ended before its plan if it did. */
export function verdictOf(summary: Summary): string {
  const { points, knee, stopped_by } = summary;
  const caution = warmupCaution(summary);
  const lines = points.map(lineOf);
  if (points.length === 0) lines.push("nothing was measured");
  if (points.length > 1) lines.push(`knee: ${kneePlace(knee, perSecond)}`);
  if (caution !== null) lines.push(caution);
  if (stopped_by !== null) lines.push(`the run ended early: stopped by ${stopped_by}`);
  return lines.join("\n");
}
