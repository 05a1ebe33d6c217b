// Owns the table of scores: how a rollout's base reward comes of what was decided about its group.

import * as z from "zod";
import type { Classes } from "../candidate/classes.ts";
import { sigmoid } from "../math/bradley-terry.ts";
import type { Decision, Gap, Tally } from "./decide.ts";

/** What a group's comparisons came to, one entry a rollout. */
export interface Standing {
  tallies: readonly Tally[];
  /** Well-formed and with nothing missing; the values of others are not used. */
  judged: readonly boolean[];
  /** What it earned on average against those opponents of which something was decided, in [0, 1]. */
  earned: readonly number[];
  /** Bradley-Terry strengths, natural log-odds; minus infinity for the malformed. */
  strengths(): readonly number[];
  /** The places of a schedule that has an order of its own, in [0, 1], 1 the best. */
  places: readonly number[] | null;
  /** The mean of the scores that the verifier itself gave, in [0, 1]; null where it gives none. */
  marks: readonly number[] | null;
}

/** A score: its line in the table is all there is of it. */
export interface Score {
  /** Where every value lies in groups of at most n; the malformed have the least. */
  range(n: number): readonly [number, number];
  of(standing: Standing): readonly number[];
  /** By what candidates are ordered where not every pair is asked, in points of n - 1; default: `earned`. */
  points?(standing: Standing): readonly number[] | null;
  /** Only of verdicts that are scores. */
  needsScores?: true;
}

/** Sums of outcomes in another order differ by rounding only. */
const EQUAL = 1e-9;

const unit = (): readonly [number, number] => [0, 1];
const oneSided = (): readonly [number, number] => [-1, 1];

export const SCORES: Readonly<Record<string, Score>> = {
  /** (wins + ties/2) / decided. */
  win_rate: {
    range: unit,
    of: ({ tallies }) => tallies.map(({ wins, losses, ties }) => (wins + ties / 2) / (wins + losses + ties)),
  },
  /** 1/k for the k that share the most wins, else 0. */
  top1: {
    range: unit,
    of({ tallies, judged }) {
      const most = Math.max(...tallies.filter((_, r) => judged[r]).map(({ wins }) => wins));
      const sharing = tallies.filter(({ wins }, r) => judged[r] && wins === most).length;
      return tallies.map(({ wins }) => (wins === most ? 1 / sharing : 0));
    },
  },
  wins: { range: (n) => [0, Math.max(0, n - 1)], of: ({ tallies }) => tallies.map(({ wins }) => wins) },
  /** (wins - losses) / decided; ties stay in the denominator. */
  net_win_rate: {
    range: oneSided,
    of: ({ tallies }) => tallies.map(({ wins, losses, ties }) => (wins - losses) / (wins + losses + ties)),
  },
  /** (max_rank - rank) / (max_rank - 1) by places or what was earned, equals at the best; all equal: 0. */
  rank: {
    range: unit,
    of({ places, earned }) {
      const by = places ?? earned;
      const ranks = by.map((own) => by.filter((other) => other > own + EQUAL).length);
      const last = Math.max(...ranks);
      return ranks.map((rank) => (last === 0 ? 0 : (last - rank) / last));
    },
    points: ({ places }) => places?.map((place, _, { length }) => place * (length - 1)) ?? null,
  },
  /** (wins - losses) over the largest such difference of the group; all 0 when that is 0. */
  copeland: {
    range: oneSided,
    of({ tallies }) {
      const nets = tallies.map(({ wins, losses }) => wins - losses);
      const most = Math.max(...nets.map(Math.abs));
      return nets.map((net) => (most === 0 ? 0 : net / most));
    },
  },
  /** sigma(t), t the Bradley-Terry strength: the score where not all pairs were asked. */
  strength: {
    range: unit,
    of: ({ strengths }) => strengths().map(sigmoid),
    points(standing) {
      const theta = standing.strengths();
      return theta.map((own, r) =>
        theta.reduce((sum, other, s) => sum + (s === r ? 0 : own === other ? 0.5 : sigmoid(own - other)), 0),
      );
    },
  },
  /** What it earned on average, graded as the verdicts are. */
  soft: { range: unit, of: ({ earned }) => earned },
  /** The mean of the verifier's own scores. */
  mean_score: { range: unit, of: ({ marks, earned }) => marks ?? earned.map(() => 0), needsScores: true },
};

export const ScoreSchema = z.enum(Object.keys(SCORES) as [string, ...string[]]).default("win_rate");

/**
 * Base rewards (api.md, "Reward"): the score's values; a malformed rollout has the least of its
 * range. null where there is a gap.
 */
export function baseRewards(
  score: string,
  standing: Standing,
  classOf: Classes["classOf"],
  gaps: readonly (Gap | null)[],
): (number | null)[] {
  const { range, of } = SCORES[score] as Score;
  const values = of(standing);
  const [least] = range(classOf.length);
  return values.map((value, r) => (gaps[r] !== null ? null : standing.judged[r] ? value : least));
}

/**
 * What each rollout earned on average, in [0, 1], of those opponents of which something was
 * decided: duplicates and the malformed among themselves half, a malformed one nothing of others.
 */
export function earnedOf({ classOf }: Pick<Classes, "classOf">, { shares }: Decision): number[] {
  return classOf.map((own, r) => {
    let sum = 0;
    let count = 0;
    classOf.forEach((other, s) => {
      if (s === r) return;
      const share =
        own === null || other === null
          ? (1 + Number(own !== null) - Number(other !== null)) / 2
          : ((shares[own] as (number | null)[])[other] as number | null);
      if (share === null) return;
      sum += share;
      count++;
    });
    return count === 0 ? 0 : sum / count;
  });
}
