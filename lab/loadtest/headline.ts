// The sentence that a load test's report begins with.
import { intervalText, shownNumber } from "../report/page.ts";
import { kneePlace } from "./knee.ts";
import type { Point, Side, Summary } from "./summary-schema.ts";

const perSecond = (rate: number | null) => `${shownNumber(rate)}/s`;

/** A 99th percentile needs as many requests, because with fewer it would be the maximum under another name. */
const P99_REQUESTS_MIN = 100;

function latencyText({ latency_ms: { p50, p99 }, requests }: Side): string {
  if (p50.value === null) return "no latency measured";
  const median = `p50 ${shownNumber(p50.value)} ms`;
  if (p99.value !== null) return `${median}, p99 ${shownNumber(p99.value)} ms`;
  return `${median}, p99 not measured (${requests} requests; it needs ${P99_REQUESTS_MIN})`;
}

/** The target's figures at one load. */
function pointText({ rate, concurrency, target }: Point): string {
  const { achieved_per_s, offered_per_s, failed, requests } = target;
  const load = rate === null ? `${concurrency} clients` : `Target ${perSecond(rate)}`;
  const lost = failed === 0 ? "none failed" : `${failed} of ${requests} failed`;
  if (requests === 0) return `${load}: no request was measured`;
  // Arrivals are random, so the offered rate differs from the target rate.
  const due = rate === null ? "" : `${perSecond(offered_per_s.value)} offered, `;
  return `${load}: ${due}${perSecond(achieved_per_s.value)} achieved, ${latencyText(target)}; ${lost}`;
}

/** The overhead over the baseline, where its interval tells it from none. */
function overheadText({ overhead_ms }: Point): string {
  if (overhead_ms === null || overhead_ms.p50.value === null) return "";
  const { value, ci95 } = overhead_ms.p50;
  const shown = `p50 ${shownNumber(value)} ms`;
  if (ci95 === null) return `; it adds ${shown} to the baseline`;
  const open = ci95[0] <= 0 && ci95[1] >= 0;
  const interval = intervalText(ci95);
  return open
    ? `; its overhead over the baseline is not statistically significant: ${shown} ${interval}`
    : `; it adds ${shown} ${interval} to the baseline`;
}

/** For a sweep the knee and what holds there, else the one load's figures. */
export function headlineOf({ points, knee, load }: Summary): string {
  const point = points.find(({ rate }) => rate === knee.rate) ?? points[0];
  if (point === undefined) return "Nothing was measured.";
  const swept = load.loop === "open" && points.length > 1;
  return `${swept ? `Knee: ${kneePlace(knee, perSecond)}. ` : ""}${pointText(point)}${overheadText(point)}.`;
}
