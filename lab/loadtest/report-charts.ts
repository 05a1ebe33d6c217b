// The charts of a load test's report, out of its summary.

import type { Html } from "../../scripts/build/reference/html.ts";
import { type Axis, type Bar, barChart, type ChartPoint, lineChart, type Rule, type Series } from "../report/charts.ts";
import { shownNumber } from "../report/page.ts";
import {
  type Estimate,
  type Point,
  type QuantileName,
  type Side,
  SPLIT_PARTS,
  type Summary,
} from "./summary-schema.ts";

const MS: Axis = { label: "Latency, ms", log: true };

/** A point's place on the load axis: the offered rate, or the senders of a closed loop. */
export const loadOf = ({ rate, concurrency }: Point): number => rate ?? concurrency ?? 0;

export const loadName = (point: Point): string =>
  point.rate === null ? `${point.concurrency} clients` : `${shownNumber(point.rate)}/s`;

const offered: Axis = { label: "Offered rate, requests/s", log: true };

/** The points whose distribution is shown: lowest, knee, the one above it, highest. */
export function shownPoints({ points, knee }: Summary): Point[] {
  const at = points.findIndex(({ rate }) => rate === knee.rate);
  const wanted = new Set([0, at, at + 1, points.length - 1]);
  return points.filter((_, i) => wanted.has(i));
}

const place = (x: number, { value, ci95 }: Estimate): ChartPoint[] =>
  value === null ? [] : [{ x, y: value, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null }];

const kneeRule = ({ knee }: Summary): Rule[] =>
  knee.rate === null || knee.overloaded_at === null
    ? []
    : [{ axis: "x", at: knee.rate, name: `knee ${shownNumber(knee.rate)}/s` }];

const overPoints = (
  points: readonly Point[],
  estimateOf: (point: Point) => Estimate | null | undefined,
): ChartPoint[] =>
  points.flatMap((point) => {
    const value = estimateOf(point);
    return value == null ? [] : place(loadOf(point), value);
  });

/** Latency quantiles against the offered rate, the baseline's beside them, the knee marked. */
export function latencyByRate(summary: Summary): Html {
  const { points, load } = summary;
  const quantiles: [string, QuantileName][] = [
    ["p50", "p50"],
    ["p99", "p99"],
    ["p99.9", "p999"],
  ];
  const series = quantiles.map(([name, q]) => ({ name, points: overPoints(points, (p) => p.target.latency_ms[q]) }));
  const beside = points.some(({ baseline }) => baseline !== null)
    ? [{ name: "baseline p99", points: overPoints(points, (p) => p.baseline?.latency_ms.p99) }]
    : [];
  const objective: Rule = { axis: "y", at: load.objective_ms, name: "objective" };
  const rules = [...kneeRule(summary), objective];
  const description = "Latency from the intended start to the last byte. Error bars: 95 % intervals over the repeats.";
  const frame = { title: "Latency against offered rate", description, x: offered, y: MS };
  return lineChart({ ...frame, series: [...series, ...beside], rules });
}

/** The achieved load, and the part of it that kept the objective, against the offered load. */
export function throughputByRate(summary: Summary): Html {
  const { points, load } = summary;
  const series = [
    { name: "achieved", points: overPoints(points, ({ target }) => target.achieved_per_s) },
    {
      name: `goodput: completed within ${load.objective_ms} ms`,
      points: overPoints(points, (p) => p.target.goodput_per_s),
    },
    { name: "offered", points: points.map((point) => ({ x: loadOf(point), y: loadOf(point) })) },
  ];
  const description = "Goodput counts requests that were answered within the objective and without a null reward.";
  const frame = {
    title: "Achieved rate and goodput",
    description,
    x: offered,
    y: { label: "Requests/s", log: true },
  };
  return lineChart({ ...frame, series, rules: kneeRule(summary) });
}

/** Achieved rate against its p99: the lower right is better. None without a p99. */
export function frontierChart({ points }: Summary): Html[] {
  const seriesOf = (name: string, sideOf: (point: Point) => Side | null): Series => ({
    name,
    points: points.flatMap((point) => {
      const side = sideOf(point);
      const [x, y] = [side?.achieved_per_s.value ?? null, side?.latency_ms.p99.value ?? null];
      return x === null || y === null ? [] : [{ x, y }];
    }),
  });
  const both = [seriesOf("target", ({ target }) => target), seriesOf("baseline", ({ baseline }) => baseline)];
  const series = both.filter(({ points: some }) => some.length > 0);
  if (series.length === 0) return [];
  const x: Axis = { label: "Achieved rate, requests/s", log: true };
  const chart = lineChart({
    title: "Throughput frontier",
    description: "99th percentile against achieved rate, connected in order of offered rate. Lower right is better.",
    x,
    y: { ...MS, label: "p99, ms" },
    series,
  });
  return [chart];
}

/** 100 - percentile on a logarithmic axis, so that 99, 99.9 and 99.99 stand equally far apart. */
const nines = (percentile: number) => -Math.log10(1 - percentile / 100);
const NINES_TICKS = [0, 50, 90, 99, 99.9, 99.99];

/** Latency over the percentiles, to the last that the number of requests can tell. */
export function percentileCurve(summary: Summary): Html {
  const series = shownPoints(summary).map((point) => ({
    name: loadName(point),
    points: point.target.curve.map(({ percentile, ms }) => ({ x: nines(percentile), y: ms })),
  }));
  const last = Math.max(nines(99), ...series.flatMap(({ points }) => points.map(({ x }) => x)));
  const ticks = NINES_TICKS.map(nines).filter((at) => at <= last + 0.01);
  const tick_name = (at: number) => `${Number((100 * (1 - 10 ** -at)).toFixed(2))} %`;
  const x: Axis = { label: "Percentile", domain: [0, last], ticks, tick_name };
  return lineChart({
    title: "Percentiles",
    description: "From 90 % on, each tick to the right leaves a tenth of the requests above it.",
    x,
    y: MS,
    series,
  });
}

/** Share of requests answered within a latency. */
export function distribution(summary: Summary): Html {
  const series = shownPoints(summary).map((point) => ({
    name: loadName(point),
    points: point.target.curve.map(({ percentile, ms }) => ({ x: ms, y: percentile })),
  }));
  const y: Axis = { label: "Requests, %", domain: [0, 100] };
  return lineChart({
    title: "Distribution",
    description: "Share of requests answered within a latency.",
    x: MS,
    y,
    series,
  });
}

/** One point over time: the repeats one after the other. */
export function timeline(point: Point, duration_s: number): Html[] {
  const { timeline: bins } = point.target;
  const at = ({ repeat, t_s }: Side["timeline"][number]) => repeat * duration_s + t_s;
  const seriesOf = (name: string, pick: (bin: Side["timeline"][number]) => number | null) => ({
    name,
    points: bins.flatMap((bin) => {
      const y = pick(bin);
      return y === null ? [] : [{ x: at(bin), y }];
    }),
  });
  const x: Axis = { label: "Measured time, s" };
  const rules = Array.from(
    { length: point.repeats - 1 },
    (_, i): Rule => ({
      axis: "x",
      at: (i + 1) * duration_s,
      name: `repeat ${i + 2}`,
    }),
  );
  const latency = [seriesOf("p50", ({ p50 }) => p50), seriesOf("p99", ({ p99 }) => p99)];
  const ends = [seriesOf("answered", ({ completed }) => completed), seriesOf("failed", ({ failed }) => failed)];
  const step = Math.max(1, (bins[1]?.t_s ?? 1) - (bins[0]?.t_s ?? 0));
  return [
    lineChart({
      title: `Latency over time at ${loadName(point)}`,
      description: "Requests are placed at the time of their reply.",
      x,
      y: MS,
      series: latency,
      rules,
    }),
    lineChart({
      title: `Replies over time at ${loadName(point)}`,
      x,
      y: { label: `Requests in ${step} s` },
      series: ends,
      rules,
    }),
  ];
}

const PART_NAMES: Record<(typeof SPLIT_PARTS)[number], string> = {
  wait: "wait for a connection",
  network: "network and client",
  edge: "edge",
  store: "store",
  verifier: "verifier",
  queue: "queue",
  first_token: "first token",
  generation: "generation",
};

/** Where the mean latency went, by point and side, as far as each target says. */
export function timeSplit(summary: Summary): Html {
  const bars = shownPoints(summary).flatMap((point) =>
    (["target", "baseline"] as const).flatMap((name): Bar[] => {
      const split = point[name]?.split_ms;
      if (split === undefined) return [];
      return SPLIT_PARTS.flatMap((part): Bar[] => {
        const value = split[part];
        return value == null ? [] : [{ name: `${loadName(point)} ${name}`, value, series: PART_NAMES[part] }];
      });
    }),
  );
  const description =
    "Means over successful requests. Queue, first token and generation are those of the last generation to finish.";
  return barChart({ title: "Time split", description, value: { label: "ms" }, bars });
}
