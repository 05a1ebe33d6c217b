// Metrics of groups and batches: tau-b, ListAcc, parse rate, flip rate, reward moments, latency. Formulas:
// stats.ts.

import type { Outcome } from "../asking/outcome.ts";
import type { Presentation } from "../asking/questions.ts";
import type { Valued } from "../asking/signal-value.ts";
import type { GroupMetrics, GroupResult, TauUndefined } from "../contract/group-reply.ts";
import type { BatchMetrics } from "../contract/rewards-reply.ts";
import type { VerifierUse } from "../contract/verifier-use.ts";
import { LIMITS } from "../faults/limits.ts";
import { square } from "../math/elementary.ts";
import { mean, percentile, populationStd, sumOf } from "../math/stats.ts";
import { kendallTauB, meanRanks } from "../math/tau-b.ts";

/** tau-b of win counts against pass rates; null with a reason if it is undefined. */
export function groupTau(
  wins: readonly (number | null)[],
  labels: readonly (number | undefined)[],
): { tau_b: number | null; tau_b_undefined: TauUndefined | null } {
  if (labels.some((label) => label === undefined)) return { tau_b: null, tau_b_undefined: "no_labels" };
  if (wins.some((count) => count === null)) return { tau_b: null, tau_b_undefined: "undecided" };
  const { tau, undefined: reason } = kendallTauB(wins as number[], labels as number[]);
  return { tau_b: tau, tau_b_undefined: reason };
}

/**
 * Whether the selected rollout has the highest pass rate; false if none is selected, null if any label is
 * missing.
 */
export function listAccuracy(selected: number | null, labels: readonly (number | undefined)[]): boolean | null {
  if (labels.some((label) => label === undefined)) return null;
  return selected !== null && labels[selected] === Math.max(...(labels as number[]));
}

/**
 * Position bias: among the pairs decided in both orders, the share whose two winners differ; null if no pair
 * was decided in both orders.
 */
export function positionFlipRate(questions: readonly Presentation[], outcomes: readonly Outcome[]): number | null {
  const margins = new Map<number, number>();
  const keyOf = (first: number, second: number) => first * LIMITS.rollouts_per_group_max + second;
  for (const { question, winner } of outcomes) {
    const { shown } = questions[question] as Presentation;
    if (shown.length !== 2 || winner === null) continue;
    const key = keyOf(shown[0] as number, shown[1] as number);
    margins.set(key, (margins.get(key) ?? 0) + (winner === shown[0] ? 1 : -1));
  }
  let pairs = 0;
  let flips = 0;
  for (const [key, margin] of margins) {
    const first = Math.floor(key / LIMITS.rollouts_per_group_max);
    const second = key % LIMITS.rollouts_per_group_max;
    const other = margins.get(keyOf(second, first));
    if (first > second || other === undefined || margin === 0 || other === 0) continue;
    pairs++;
    if (margin > 0 === other > 0) flips++;
  }
  return pairs === 0 ? null : flips / pairs;
}

/** Share of answered generations that were parsed; null if none was answered. */
export function parseRate({ parsed, unparsed }: Pick<VerifierUse, "parsed" | "unparsed">): number | null {
  return parsed + unparsed === 0 ? null : parsed / (parsed + unparsed);
}

/** Mean and population standard deviation of the non-null rewards; null if all are null. */
export function rewardMoments(rewards: readonly (number | null)[]): Pick<GroupMetrics, "reward_mean" | "reward_std"> {
  // Sorted, so that rounding does not depend on the numbering of the rollouts.
  const known = rewards.filter((reward) => reward !== null).sort((a, b) => a - b);
  if (known.length === 0) return { reward_mean: null, reward_std: null };
  return { reward_mean: mean(known), reward_std: populationStd(known) };
}

/**
 * Agreement between the parts of a reward within a group, in [-1, 1]: the mean Spearman correlation over all
 * pairs of varying parts, using the rollouts that have a value for every part. For m parts without ties, it
 * equals (m W - 1) / (m - 1) with Kendall's coefficient of concordance W (Kendall and Babington Smith 1939).
 * Null if fewer than two parts vary. Computed from the parts' ranks as unit vectors z: (|sum of z|^2 - m) /
 * (m (m - 1)), in O(m n log n).
 */
export function partsCorrelation(parts: readonly (readonly Valued[])[]): number | null {
  const rows = (parts[0] ?? []).flatMap((_, r) => (parts.every((part) => part[r]?.value != null) ? [r] : []));
  const middle = (rows.length + 1) / 2;
  const units = parts.flatMap((part) => {
    const ranks = meanRanks(rows.map((r) => part[r]?.value as number)).map((rank) => rank - middle);
    const length = Math.sqrt(sumOf(ranks.map(square)));
    return length === 0 ? [] : [ranks.map((rank) => rank / length)];
  });
  const m = units.length;
  if (m < 2) return null;
  const squares = rows.map((_, i) => square(units.reduce((sum, unit) => sum + (unit[i] as number), 0)));
  return Math.max(-1, Math.min(1, (sumOf(squares) - m) / (m * (m - 1))));
}

/** p50, p99 and maximum of the latencies of a group's generations, ms; zeros if there are none. */
export function latencySummary(latencies: readonly number[]): VerifierUse["latency_ms"] {
  if (latencies.length === 0) return { p50: 0, p99: 0, max: 0 };
  const sorted = [...latencies].sort((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) as number };
}

/**
 * Metrics of a batch: means over the groups in which each metric is defined; the parse rate over all
 * generations; reward moments over all rollouts of the complete groups (`ok`).
 */
export function batchMetrics(groups: readonly GroupResult[]): BatchMetrics {
  const complete = groups.filter(({ status }) => status === "ok");
  const taus = groups.flatMap(({ metrics }) => metrics.tau_b ?? []);
  const accuracies = groups.flatMap(({ metrics }) => (metrics.list_acc === null ? [] : Number(metrics.list_acc)));
  const total = (field: "parsed" | "unparsed") => groups.reduce((sum, { verifier }) => sum + verifier[field], 0);
  return {
    parse_rate: parseRate({ parsed: total("parsed"), unparsed: total("unparsed") }),
    tau_b_mean: taus.length === 0 ? null : mean(taus),
    tau_b_undefined: groups.filter(({ metrics: m }) => m.tau_b_undefined !== null && m.tau_b_undefined !== "no_labels")
      .length,
    list_acc: accuracies.length === 0 ? null : mean(accuracies),
    ...rewardMoments(complete.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward))),
  };
}
