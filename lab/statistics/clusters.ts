// Estimates from observations that come in clusters, such as the lists of one problem. The bootstrap
// is src/core/math/stats.ts.
import { type BootstrapOptions, bootstrapRatio } from "../../src/core/math/bootstrap.ts";
import { binomialInterval, ENTRIES_FEW, equalInterval, studentRatio } from "./few-entries.ts";

/** `mean` is null where there is nothing to estimate from, `ci95` where the spread is unknown. */
export interface Estimate {
  mean: number | null;
  ci95: [number, number] | null;
  /** Observations. */
  n: number;
}

/** One list's share of a ratio: a mean has `under` 1 everywhere. */
export interface Observation {
  over: number;
  /** Above 0. */
  under: number;
  /** Observations of one cluster are dependent; null = alone in its cluster. */
  cluster: string | null;
}

/** Sums of equal shares differ by so much. */
const ROUNDING = 1e-12;

export interface RatioOptions extends BootstrapOptions {
  /** Where every observation's over / under lies; absent: anywhere. */
  range?: readonly [number, number];
}

/**
 * sum(over) / sum(under) with a 95 % percentile bootstrap interval that draws whole clusters
 * (Cameron, Gelbach and Miller 2008: the pairs cluster bootstrap). `mean` is null without
 * observations. `ci95` is null without resamples, and where every observation is of one named
 * cluster: its spread is unknown, not zero. Of values in a known range, where resamples say nothing:
 * of clusters that are all equal `equalInterval`, of ENTRIES_FEW or fewer `binomialInterval` for
 * single hits and misses, else `studentRatio`; a cluster counts as one trial.
 */
export function clusteredRatio(observations: readonly Observation[], options: RatioOptions): Estimate {
  const sum = sums(observations);
  const total = (values: readonly number[]) => values.reduce((whole, value) => whole + value, 0);
  return {
    mean: observations.length === 0 ? null : total(sum.over) / total(sum.under),
    ci95: options.resamples === 0 || observations.length === 0 ? null : intervalOf(observations, sum, options),
    n: observations.length,
  };
}

function intervalOf(
  observations: readonly Observation[],
  { over, under, named }: ReturnType<typeof sums>,
  options: RatioOptions,
): [number, number] | null {
  const { range } = options;
  const n = over.length;
  const first = (over[0] as number) / (under[0] as number);
  const isFirst = (share: number) => Math.abs(share - first) <= ROUNDING;
  const equal = over.every((sum, i) => isFirst(sum / (under[i] as number)));
  const alike =
    range !== undefined && observations.every((observation) => isFirst(observation.over / observation.under));
  if (named && n < 2 && !alike) return null;
  if (range === undefined) return bootstrapRatio(over, under, options);
  if (equal) return equalInterval(first, n, range);
  if (n > ENTRIES_FEW) return bootstrapRatio(over, under, options);
  const trials = range[0] === 0 && range[1] === 1 && over.every((sum, i) => under[i] === 1 && (sum === 0 || sum === 1));
  const hits = over.reduce((sum, hit) => sum + hit, 0);
  return trials ? binomialInterval(hits, n) : studentRatio(over, under, range);
}

/** Per cluster, in the order of first appearance. */
function sums(observations: readonly Observation[]): { over: number[]; under: number[]; named: boolean } {
  const over: number[] = [];
  const under: number[] = [];
  const places = new Map<string, number>();
  for (const { over: top, under: bottom, cluster } of observations) {
    const place = (cluster === null ? undefined : places.get(cluster)) ?? over.length;
    if (cluster !== null) places.set(cluster, place);
    over[place] = (over[place] ?? 0) + top;
    under[place] = (under[place] ?? 0) + bottom;
  }
  return { over, under, named: places.size > 0 };
}
