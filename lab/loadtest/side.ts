// Sums up the slices of one side of one point: counts, rates, latencies with intervals.
import type { Histogram } from "hdr-histogram-js";
import { mean, percentile } from "../../src/core/math/stats.ts";
import { type CostFlags, dollarsPer1000Rewards } from "./cost.ts";
import { tInterval } from "./intervals.ts";
import { newHistogram, type RequestRow } from "./record.ts";
import type { FinishedSlice } from "./slice.ts";
import { type Estimate, QUANTILES, type QuantileName, type Side, SPLIT_PARTS } from "./summary-schema.ts";

/**
 * A generator later than this at its 99th percentile, and than this share of the median latency,
 * measures itself.
 */
const LATE_MS = 5;
const LATE_SHARE = 0.1;

const defined = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/**
 * `value` over all repeats together; the interval is that of the repeats' own values, cut at the
 * `least` that can be.
 */
export function estimate(value: number | null, repeats: (number | null)[], min = 0): Estimate {
  const interval = tInterval(defined(repeats));
  return { value, ci95: interval && [Math.max(min, interval[0]), interval[1]], repeats };
}

/** The mean of the repeats with its interval. */
export function meanEstimate(repeats: (number | null)[], min = 0): Estimate {
  const values = defined(repeats);
  return estimate(values.length === 0 ? null : mean(values), repeats, min);
}

/**
 * null when so few were recorded that not even one lies beyond the percentile: that would be the
 * maximum under another name.
 */
function quantile(histogram: Histogram, q: number): number | null {
  const isKnown = histogram.totalCount > 0 && histogram.totalCount * (100 - q) >= 100 * (1 - 1e-9);
  return isKnown ? histogram.getValueAtPercentile(q) / 1000 : null;
}

const meanOf = (histogram: Histogram) => (histogram.totalCount === 0 ? null : histogram.mean / 1000);

function merged(histograms: readonly Histogram[]): Histogram {
  const all = newHistogram();
  for (const histogram of histograms) all.add(histogram);
  return all;
}

/** Quantiles of all repeats together, so that a stall in one of them shows in full. */
function latencyOf(histograms: readonly Histogram[]): Side["latency_ms"] {
  const all = merged(histograms);
  const at = (name: QuantileName) =>
    estimate(
      quantile(all, QUANTILES[name]),
      histograms.map((histogram) => quantile(histogram, QUANTILES[name])),
    );
  const max = all.totalCount === 0 ? null : all.maxValue / 1000;
  const whole = { p50: at("p50"), p90: at("p90"), p95: at("p95"), p99: at("p99"), p999: at("p999") };
  return { ...whole, mean: estimate(meanOf(all), histograms.map(meanOf)), max };
}

/** Percentiles 0..99.99, denser towards the end. */
function curveOf(histograms: readonly Histogram[]): Side["curve"] {
  const all = merged(histograms);
  if (all.totalCount === 0) return [];
  const percentiles = [
    ...Array.from({ length: 45 }, (_, i) => 2 * i),
    ...Array.from({ length: 46 }, (_, i) => 100 - 10 ** (1 - i / 15)),
  ];
  // Beyond one request in this many there is nothing to read off.
  const known = percentiles.filter((q) => q === 0 || (1 - q / 100) * all.totalCount >= 1 - 1e-9);
  return known.map((q) => ({ percentile: q, ms: all.getValueAtPercentile(q) / 1000 }));
}

function timelineOf({ recorder, measured_s }: FinishedSlice, repeat: number, from_ms: number): Side["timeline"] {
  const step_s = Math.max(1, Math.ceil(measured_s / 120));
  const bins = new Map<number, { latencies: number[]; failed: number }>();
  for (const row of recorder.rows) {
    const at = Math.floor((row.due_at + row.latency_ms - from_ms) / 1000 / step_s);
    if (row.error === "unfinished" || at < 0 || at * step_s >= measured_s) continue;
    const bin = bins.get(at) ?? { latencies: [], failed: 0 };
    bins.set(at, bin);
    if (row.error === null) bin.latencies.push(row.latency_ms);
    else bin.failed++;
  }
  const ordered = [...bins].sort(([a], [b]) => a - b);
  return ordered.map(([at, { latencies, failed }]) => {
    latencies.sort((a, b) => a - b);
    const at_q = (q: number) => (latencies.length === 0 ? null : percentile(latencies, q));
    return { repeat, t_s: at * step_s, completed: latencies.length, failed, p50: at_q(0.5), p99: at_q(0.99) };
  });
}

/**
 * Mean parts of the successful requests' latency; what no part explains of the time on the wire is
 * `network`.
 */
function splitOf(rows: readonly RequestRow[]): Side["split_ms"] {
  const parts = rows.map(({ split, wait_ms, service_ms }) => {
    const inside = defined(Object.values(split));
    const known = inside.reduce((sum, part) => sum + part, 0);
    const network = inside.length === 0 || service_ms === null ? null : Math.max(0, service_ms - known);
    return { wait: wait_ms, network, ...split };
  });
  const means = SPLIT_PARTS.map((name) => {
    const values = defined(parts.map((part) => part[name]));
    return [name, values.length === 0 ? null : mean(values)] as const;
  });
  return Object.fromEntries(means) as Side["split_ms"];
}

type Countable = "rewards" | "nulls" | "comparisons" | "generations" | "parsed" | "unparsed" | "completion_tokens";
const total = (rows: readonly RequestRow[], name: Countable | "prompt_tokens") =>
  rows.reduce((sum, row) => sum + row[name], 0);
const ratio = (over: number, under: number) => (under === 0 ? null : over / under);

function errorsOf(rows: readonly RequestRow[]): Record<string, number> {
  const errors: Record<string, number> = {};
  for (const { error } of rows) if (error !== null) errors[error] = (errors[error] ?? 0) + 1;
  return errors;
}

function generatorOf(slices: readonly FinishedSlice[], median_ms: number | null): Side["generator"] {
  const errors = merged(slices.map(({ recorder }) => recorder.schedule_error));
  const at = (q: number) => (errors.totalCount === 0 ? 0 : errors.getValueAtPercentile(q) / 1000);
  return {
    schedule_error_ms: { p50: at(50), p99: at(99), max: at(100) },
    in_flight_max: Math.max(0, ...slices.map(({ recorder }) => recorder.in_flight_max)),
    cpu_share_max: Math.max(0, ...slices.map(({ cpu_share }) => cpu_share)),
    late: at(99) > Math.max(LATE_MS, LATE_SHARE * (median_ms ?? 0)),
  };
}

/** Sums up one side's slices, one a repeat. `objective_ms`: what goodput must keep. */
export function summariseSide(slices: readonly FinishedSlice[], objective_ms: number, cost: CostFlags): Side {
  const measured = slices.filter(({ measured_s }) => measured_s > 0);
  const counted = measured.map(({ recorder }) => recorder.rows.filter((row) => recorder.isCounted(row)));
  const rows = counted.flat();
  const good = rows.filter(({ error }) => error === null);
  // Throughputs are of what ended in the window: of what was due in it, a queue that only grows
  // would bring all in the end.
  const completed = measured.map(({ recorder }) => recorder.rows.filter((row) => recorder.isCompleted(row)));
  const rate = (rowsBySlice: readonly (readonly RequestRow[])[], countOf: (rows: readonly RequestRow[]) => number) =>
    meanEstimate(measured.map(({ measured_s }, i) => countOf(rowsBySlice[i] as readonly RequestRow[]) / measured_s));
  const throughput = (name: Countable) => rate(completed, (some) => total(some, name));
  // A kind whose replies say nothing of a count leaves it 0 throughout.
  const said = (name: Countable) => (total(rows, name) === 0 ? estimate(null, []) : throughput(name));
  const latency_ms = latencyOf(measured.map(({ recorder }) => recorder.latency));
  const isGood = ({ error, nulls, latency_ms }: RequestRow) =>
    error === null && nulls === 0 && latency_ms <= objective_ms;
  const rewards = total(rows, "rewards");
  const rewards_per_s = throughput("rewards");
  const tokens = { completion: total(rows, "completion_tokens"), prompt: total(rows, "prompt_tokens") };
  const generations = total(rows, "generations");
  const offered_per_s = rate(counted, (some) => some.length);
  const ended_per_s = rate(completed, (some) => some.length);
  // Requests of the warm-up may end in the window, which achieves no more than was offered.
  const achieved = [ended_per_s.value, offered_per_s.value].filter((value) => value !== null);
  const achieved_per_s = { ...ended_per_s, value: achieved.length === 0 ? null : Math.min(...achieved) };
  const parsed = total(rows, "parsed");
  return {
    requests: rows.length,
    ok: good.length,
    failed: rows.length - good.length,
    unfinished: slices.reduce((sum, { recorder }) => sum + (errorsOf(recorder.rows).unfinished ?? 0), 0),
    errors: errorsOf(rows),
    offered_per_s,
    achieved_per_s,
    goodput_per_s: rate(counted, (some) => some.filter(isGood).length),
    latency_ms,
    service_ms: latencyOf(measured.map(({ recorder }) => recorder.service)),
    rewards,
    null_rewards: total(rows, "nulls"),
    rewards_per_s,
    comparisons_per_s: said("comparisons"),
    generations_per_s: said("generations"),
    tokens_per_s: said("completion_tokens"),
    parse_rate: ratio(parsed, parsed + total(rows, "unparsed")),
    completion_tokens_per_reward: ratio(tokens.completion, rewards),
    prompt_tokens_per_reward: ratio(tokens.prompt, rewards),
    split_ms: splitOf(good),
    dollars_per_1000_rewards: dollarsPer1000Rewards(cost, { rewards, generations, ...tokens }, rewards_per_s.value),
    curve: curveOf(measured.map(({ recorder }) => recorder.latency)),
    timeline: measured.flatMap((slice, repeat) => timelineOf(slice, repeat, slice.window_from_ms)),
    generator: generatorOf(slices, latency_ms.p50.value),
  };
}
