// Table of scores by name. To add a score, add one entry here.
import { sigmoid } from "../math/elementary.ts";
import { sumOf } from "../math/stats.ts";
import type { Score, Scoreboard } from "./score.ts";

/** Tolerance for equal sums: the same numbers added in a different order differ by rounding. */
const EQUAL = 1e-9;

const unit = (): readonly [number, number] => [0, 1];
const oneSided = (): readonly [number, number] => [-1, 1];

const isWhole = ({ tallies }: Scoreboard) => tallies.every(({ unasked }) => unasked === 0);

/** sigma(t), where t is the Bradley-Terry strength: suited to groups in which not all pairs were asked. */
const strength: Score = {
  range: unit,
  valuesOf: ({ strengths }) => strengths().map(sigmoid),
  points(scoreboard) {
    const theta = scoreboard.strengths();
    return theta.map((strength, r) =>
      sumOf(theta.flatMap((other, s) => (s === r ? [] : strength === other ? [0.5] : [sigmoid(strength - other)]))),
    );
  },
};

export const SCORES: Readonly<Record<string, Score>> = {
  /** (wins + ties/2) / decided. */
  win_rate: {
    range: unit,
    valuesOf: ({ tallies }) => tallies.map(({ wins, losses, ties }) => (wins + ties / 2) / (wins + losses + ties)),
  },
  /** 1/k for each of the k rollouts that share the most wins, else 0. */
  top1: {
    range: unit,
    valuesOf({ tallies, judged }) {
      const maxWins = Math.max(...tallies.filter((_, r) => judged[r]).map(({ wins }) => wins));
      const sharing = tallies.filter(({ wins }, r) => judged[r] && wins === maxWins).length;
      return tallies.map(({ wins }) => (wins === maxWins ? 1 / sharing : 0));
    },
  },
  wins: { range: (n) => [0, Math.max(0, n - 1)], valuesOf: ({ tallies }) => tallies.map(({ wins }) => wins) },
  /** (wins - losses) / decided; ties stay in the denominator. */
  net_win_rate: {
    range: oneSided,
    valuesOf: ({ tallies }) => tallies.map(({ wins, losses, ties }) => (wins - losses) / (wins + losses + ties)),
  },
  /**
   * (max_rank - rank) / (max_rank - 1), ranked by places if the schedule assigns them, else by mean outcome;
   * ties get the best rank; 0 if all are equal.
   */
  rank: {
    range: unit,
    valuesOf({ places, earned }) {
      const scores = places ?? earned;
      const ranks = scores.map((score) => scores.filter((other) => other > score + EQUAL).length);
      const last = Math.max(...ranks);
      return ranks.map((rank) => (last === 0 ? 0 : (last - rank) / last));
    },
  },
  /**
   * (wins - losses), divided by the largest absolute difference in the group; all 0 if that difference is 0.
   */
  copeland: {
    range: oneSided,
    valuesOf({ tallies }) {
      const nets = tallies.map(({ wins, losses }) => wins - losses);
      const maxNet = Math.max(...nets.map(Math.abs));
      return nets.map((net) => (maxNet === 0 ? 0 : net / maxNet));
    },
  },
  strength,
  /**
   * `strength` if pairs were left out, else `soft`. In schedules such as `active`, answers decide which
   * candidates meet, so mean outcomes are not comparable between candidates.
   */
  auto: {
    range: unit,
    valuesOf: (scoreboard) => (isWhole(scoreboard) ? scoreboard.earned : strength.valuesOf(scoreboard)),
    points: (scoreboard) => (isWhole(scoreboard) ? null : (strength.points?.(scoreboard) ?? null)),
    choose: (scoreboard) => (isWhole(scoreboard) ? "soft" : "strength"),
  },
  /** Mean outcome of the rollout, graded if the verdicts are. */
  soft: { range: unit, valuesOf: ({ earned }) => earned },
  /** Mean of the scores that the verifier gave. */
  mean_score: { range: unit, valuesOf: ({ marks }) => marks, needsScores: true },
};
