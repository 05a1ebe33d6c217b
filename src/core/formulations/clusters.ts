// Owns estimates from observations that come in clusters, such as the lists of one problem. Knows
// no metric; the bootstrap is stats.ts.
import type { EvaluationSummary } from "../contract/replies.ts";
import { type BootstrapOptions, bootstrapRatio } from "../math/stats.ts";

/** One list's share of a ratio: a mean has `under` 1 everywhere. */
export interface Observation {
  over: number;
  /** Above 0. */
  under: number;
  /** Observations of one cluster are not independent; null = a cluster of its own. */
  cluster: string | null;
}

/**
 * sum(over) / sum(under) with a 95 % percentile bootstrap interval that draws whole clusters
 * (Cameron, Gelbach and Miller 2008: the pairs cluster bootstrap). `mean` is null without
 * observations. `ci95` is null without resamples, and where every observation is of one named
 * cluster: its spread is unknown, not zero.
 */
export function clusteredRatio(
  observations: readonly Observation[],
  options: BootstrapOptions,
): EvaluationSummary["list_acc"] {
  const { over, under, named } = sums(observations);
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return {
    mean: observations.length === 0 ? null : total(over) / total(under),
    ci95: named && over.length < 2 ? null : bootstrapRatio(over, under, options),
    n: observations.length,
  };
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
