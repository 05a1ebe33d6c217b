// The sentence that a load test's report begins with.
import { shownNumber } from "../report/page.ts";
import { kneePlace } from "./knee.ts";
import type { Point, Summary } from "./summary-schema.ts";

const perSecond = (rate: number | null) => `${shownNumber(rate)}/s`;

/** The target's figures at one load. */
function pointText({ rate, concurrency, target }: Point): string {
  const { achieved_per_s, offered_per_s, latency_ms, failed, requests } = target;
  const load = rate === null ? `${concurrency} clients` : `Target ${perSecond(rate)}`;
  const lost = failed === 0 ? "none failed" : `${failed} of ${requests} failed`;
  const tail = `p50 ${shownNumber(latency_ms.p50.value)} ms, p99 ${shownNumber(latency_ms.p99.value)} ms`;
  // Arrivals are drawn, so what is offered in a window is not quite the rate, and the window's first
  // completions may be of requests that were due before it.
  const due = rate === null ? "" : `${perSecond(offered_per_s.value)} offered, `;
  return `${load}: ${due}${perSecond(achieved_per_s.value)} completed, ${tail}; ${lost}`;
}

/** The overhead over the baseline, where its interval tells it from none. */
function overheadText({ overhead_ms }: Point): string {
  if (overhead_ms === null || overhead_ms.p50.value === null) return "";
  const { value, ci95 } = overhead_ms.p50;
  const shown = `p50 ${shownNumber(value)} ms`;
  if (ci95 === null) return `; it adds ${shown} to the baseline`;
  const open = ci95[0] <= 0 && ci95[1] >= 0;
  const interval = `(${shownNumber(ci95[0])} to ${shownNumber(ci95[1])})`;
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
