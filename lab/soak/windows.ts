// The comparison of a soak's first and last minutes: latency, failures, memory, and what of it breaks the
// goals. Pure.
import { mean, percentile } from "../../src/core/math/stats.ts";
import { slopeOf } from "../bench/line.ts";
import type { RequestRow } from "../loadtest/record.ts";
import type { MemorySample } from "./memory.ts";

export interface SoakWindow {
  requests: number;
  failed: number;
  nulls: number;
  p50_ms: number;
  p99_ms: number;
  /** Mean resident bytes. */
  workerd: number;
  node: number;
}

export interface Comparison {
  window_s: number;
  first: SoakWindow;
  last: SoakWindow;
  p99_ratio: number;
  memory_ratio: number;
  /** The growth of workerd's memory an hour by its minutes' means, MiB, with twice the standard error. */
  growth: { slope: number; doubt: number };
  /** Broken goals, in words; empty when all hold. */
  faults: string[];
}

/** Five minutes, or a third of a run that is too short for two of them. */
const WINDOW_MIN = 5;
const P99_RATIO_MAX = 1.1;
/** Mean over minutes; a heap that is collected now and then moves by some per cent. */
const MEMORY_RATIO_MAX = 1.1;
const [MINUTE, HOUR, MIB] = [60, 60, 2 ** 20];

/** A minute's mean is a point: samples a second apart are not independent. */
function growthOf(samples: readonly MemorySample[]): Comparison["growth"] {
  const minutes = Array.from({ length: Math.floor(samples.length / MINUTE) }, (_, minute) => {
    const within = samples.slice(minute * MINUTE, (minute + 1) * MINUTE);
    return [minute / HOUR, mean(within.map(({ workerd }) => workerd)) / MIB] as const;
  });
  // With less there is not a line.
  return minutes.length < 3 ? { slope: 0, doubt: Number.POSITIVE_INFINITY } : slopeOf(minutes);
}

type Request = Pick<RequestRow, "due_at" | "latency_ms" | "error" | "nulls" | "unparsed" | "warm_up">;

function windowOf(requests: readonly Request[], memory: readonly MemorySample[]): SoakWindow {
  const latencies = Float64Array.from(requests, ({ latency_ms }) => latency_ms).sort();
  return {
    requests: requests.length,
    failed: requests.filter(({ error }) => error !== null).length,
    nulls: requests.reduce((sum, { nulls }) => sum + nulls, 0),
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    workerd: mean(memory.map(({ workerd }) => workerd)),
    node: mean(memory.map(({ node }) => node)),
  };
}

/** @param memory one sample a second from the start, warm-up included */
export function compareWindows(
  requests: readonly Request[],
  memory: readonly MemorySample[],
  minutes: number,
  warmup_s: number,
): Comparison {
  const window_s = Math.min(WINDOW_MIN, minutes / 3) * 60;
  const counted = requests.filter(({ warm_up }) => !warm_up);
  const [from, to] = [warmup_s * 1000, (warmup_s + minutes * 60) * 1000];
  const within = (start: number, end: number) => counted.filter(({ due_at }) => due_at >= start && due_at < end);
  const samples = memory.slice(Math.ceil(warmup_s));
  const count = Math.max(1, Math.floor(window_s));
  const first = windowOf(within(from, from + window_s * 1000), samples.slice(0, count));
  const last = windowOf(within(to - window_s * 1000, to), samples.slice(-count));
  const p99_ratio = last.p99_ms / first.p99_ms;
  const memory_ratio = last.workerd / first.workerd;
  const growth = growthOf(samples);
  const faults: string[] = [];
  if (!(p99_ratio <= P99_RATIO_MAX))
    faults.push(`p99 is ${p99_ratio.toFixed(3)} times that of the first minutes; the limit is ${P99_RATIO_MAX}`);
  if (!(memory_ratio <= MEMORY_RATIO_MAX))
    faults.push(
      `workerd uses ${memory_ratio.toFixed(3)} times the memory of the first minutes; the limit is ${MEMORY_RATIO_MAX}`,
    );
  if (!(growth.slope - growth.doubt <= 0))
    faults.push(
      `workerd grows by ${growth.slope.toFixed(1)} MiB per hour, at least ${(growth.slope - growth.doubt).toFixed(1)}`,
    );
  // An answer that the simulated judge wrote unreadably, twice, is its own: no part of the system failed.
  const isFault = ({ error, nulls, unparsed }: Request) => error !== null || (nulls > 0 && !unparsed);
  const failed = counted.filter(isFault).length;
  if (failed > 0) faults.push(`${failed} requests failed or returned a null reward`);
  return { window_s, first, last, p99_ratio, memory_ratio, growth, faults };
}
