// The table of scores by name: a new one is one entry here.
import { sigmoid } from "../math/elementary.ts";
import { sumOf } from "../math/stats.ts";
import type { Score, Scoreboard } from "./score.ts";

/** Sums of outcomes in another order differ by rounding only. */
const EQUAL = 1e-9;

const unit = (): readonly [number, number] => [0, 1];
const oneSided = (): readonly [number, number] => [-1, 1];

const isWhole = ({ tallies }: Scoreboard) => tallies.every(({ unasked }) => unasked === 0);

/** sigma(t), t the Bradley-Terry strength: the score where not all pairs were asked. */
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
  /** 1/k for the k that share the most wins, else 0. */
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
   * (max_rank - rank) / (max_rank - 1) by places or what was earned, equals at the best; all equal:
   * 0.
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
  /** (wins - losses) over the largest such difference of the group; all 0 when that is 0. */
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
   * `strength` where pairs were left out, `soft` where none was: answers decide
   * who met whom (`active`).
   */
  auto: {
    range: unit,
    valuesOf: (scoreboard) => (isWhole(scoreboard) ? scoreboard.earned : strength.valuesOf(scoreboard)),
    points: (scoreboard) => (isWhole(scoreboard) ? null : (strength.points?.(scoreboard) ?? null)),
    choose: (scoreboard) => (isWhole(scoreboard) ? "soft" : "strength"),
  },
  /** Its mean outcome, graded as the verdicts are. */
  soft: { range: unit, valuesOf: ({ earned }) => earned },
  /** The mean of the verifier's own scores. */
  mean_score: { range: unit, valuesOf: ({ marks }) => marks, needsScores: true },
};
