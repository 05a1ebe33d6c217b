// Defines what a verifier is worth that may abstain: how often it is right on the lists of which it is
// surest.

import { hashText } from "../../../src/core/math/random.ts";
import { clusteredRatio } from "../../statistics/clusters.ts";
import type { Estimate } from "./estimate.ts";

/** A list as it was answered. */
export interface Judged {
  right: boolean;
  /** By how much the selected candidate led, from 0 to 1; null: nothing was selected. */
  margin: number | null;
  problem: string;
}

export interface Coverage {
  /** The share of the lists on which it does not abstain. */
  share: number;
  /** Over the lists that are answered; the others are in no figure. */
  list_acc: Estimate;
  /** Who abstains below this margin answers that share; null: nothing was selected below it. */
  margin: number | null;
}

export const SHARES = [1, 0.9, 0.75, 0.5, 0.25] as const;

/**
 * How far ahead the winner is of the next, as a share of the wins that a candidate can have: one against each
 * other. null where a count is missing or the candidate is alone.
 * @param wins one a candidate
 */
export function marginOf(wins: readonly (number | null)[]): number | null {
  const counts = wins.filter((count) => count !== null).sort((a, b) => b - a);
  if (counts.length < wins.length || counts.length < 2) return null;
  return ((counts[0] as number) - (counts[1] as number)) / (wins.length - 1);
}

/** Lists with how much of each is within a share of them, surest first; of equally sure ones each as much. */
function weighted(lists: readonly Judged[], share: number) {
  const margins = lists.map(({ margin }) => margin ?? Number.NEGATIVE_INFINITY);
  const wanted = share * lists.length;
  let taken = 0;
  let last = Number.POSITIVE_INFINITY;
  const weights = new Map<number, number>();
  for (const margin of [...new Set(margins)].sort((a, b) => b - a)) {
    const alike = margins.filter((other) => other === margin).length;
    const weight = Math.min(1, Math.max(0, (wanted - taken) / alike));
    if (weight === 0) break;
    weights.set(margin, weight);
    taken += alike * weight;
    last = margin;
  }
  return {
    margin: Number.isFinite(last) ? last : null,
    weightOf: (i: number) => weights.get(margins[i] as number) ?? 0,
  };
}

/**
 * ListAcc over shares of the lists, those with the widest margins first (selective prediction:
 * El-Yaniv and Wiener 2010); intervals draw whole problems and hold the margins fixed. Empty without
 * lists.
 */
export function coverageOf(
  lists: readonly Judged[],
  { seed, bootstrap }: { seed: number; bootstrap: number },
): Coverage[] {
  if (lists.length === 0) return [];
  return SHARES.map((share) => {
    const { margin, weightOf } = weighted(lists, share);
    const observations = lists.flatMap(({ right, problem: cluster }, i) => {
      const under = weightOf(i);
      return under === 0 ? [] : [{ over: right ? under : 0, under, cluster }];
    });
    const options = { resamples: bootstrap, seed: hashText(seed, "coverage", share), range: [0, 1] as const };
    return { share, list_acc: clusteredRatio(observations, options), margin };
  });
}

/**
 * Area under the curve of risk over coverage (AURC: Geifman, Uziel and El-Yaniv 2019): the mean over
 * k of the share of wrong lists among the k surest, equally sure ones in random order. 0 where none
 * is wrong; without any ranking, the share of wrong lists. null without lists.
 */
export function areaUnderRisk(lists: readonly Judged[]): number | null {
  if (lists.length === 0) return null;
  const risks = lists.map((_, k) => {
    const { weightOf } = weighted(lists, (k + 1) / lists.length);
    return lists.reduce((sum, { right }, i) => sum + (right ? 0 : weightOf(i)), 0) / (k + 1);
  });
  return risks.reduce((sum, risk) => sum + risk, 0) / lists.length;
}
