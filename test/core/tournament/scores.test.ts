// The golden cases of tournament_scores.json: from one group's games to every score.

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/core/asking/outcome.ts";
import { FIRST } from "../../../src/core/asking/purpose.ts";
import type { Presentation } from "../../../src/core/asking/questions.ts";
import { bradleyTerry, type Game } from "../../../src/core/math/bradley-terry.ts";
import { kendallTauB } from "../../../src/core/math/tau-b.ts";
import { gapsIn, tally } from "../../../src/core/tournament/decide.ts";
import { decide } from "../../../src/core/tournament/decision.ts";
import { circlesIn, isCyclic } from "../../../src/core/tournament/measures.ts";
import { baseRewards, earnedOf } from "../../../src/core/tournament/scores.ts";
import golden from "../../vectors/tournament_scores.json" with { type: "json" };

type Row = readonly [number, number, number | null];
interface Case {
  name: string;
  input: { n: number; games: Row[]; soft?: Row[]; labels: number[]; lambda: number };
  expected: {
    wins: number[];
    losses: number[];
    ties: number[];
    cycle: boolean;
    win_rate: (number | null)[];
    net_win_rate: (number | null)[];
    copeland: number[];
    rank_linear: number[];
    bt_strength: number[];
    bt_strength_soft?: number[];
    soft_mean?: (number | null)[];
    tau_b_win_rate_vs_labels: number | null;
  };
}
/**
 * A pair asked several times is one pair of ours, decided by the majority: these cases count every
 * game.
 */
const BY_GAME = "repeat_games_both_orders";
const cases = (golden.cases as unknown as Case[]).filter(({ name }) => name !== BY_GAME);

/** Base rewards of a group asked these games, each a separate verdict. */
function scored(n: number, rows: readonly Row[], score: string, graded = false) {
  const questions = rows.map(([i, j]): Presentation => ({ shown: [i, j], samples: 1, purpose: FIRST }));
  const outcomes = rows.map(([i, j, own], question): Outcome => {
    if (own === null) return { question, state: "failed", winner: null };
    if (graded) return { question, state: "parsed", winner: null, grades: [own, 1 - own] };
    return { question, state: "parsed", winner: own === 0.5 ? null : own === 1 ? i : j };
  });
  const decision = decide(n, "pairwise", questions, outcomes, { graded, complete: false });
  const classes = { classOf: rows.length === 0 ? [] : Array.from({ length: n }, (_, i) => i), members: [] };
  const tallies = tally(classes, decision);
  const gaps = gapsIn(classes.classOf, tallies, 1e-9);
  const judged = gaps.map((gap) => gap === null);
  const earned = earnedOf(classes, decision);
  const standing = { tallies, judged, earned, strengths: () => [], places: null, marks: [] };
  return { decision, tallies, base: baseRewards(score, standing, classes.classOf, gaps) };
}

const gamesOf = (rows: readonly Row[]): Game[] =>
  rows.flatMap(([i, j, score]) => (score === null ? [] : [{ i, j, score }]));

function expectClose(own: readonly (number | null)[], expected: readonly (number | null)[], what: string) {
  for (const [i, value] of expected.entries()) {
    if (value === null) expect(own[i], `${what} ${i}`).toBeNull();
    else expect(own[i], `${what} ${i}`).toBeCloseTo(value, 9);
  }
}

describe("golden scores", () => {
  it.each(cases)("$name", ({ input: { n, games, soft, labels, lambda }, expected }) => {
    const { tallies, decision, base } = scored(n, games, "win_rate");
    for (const field of ["wins", "losses", "ties"] as const) {
      expect(tallies.map((counts) => counts[field])).toEqual(expected[field]);
    }
    for (const counts of tallies) {
      expect(counts.wins + counts.losses + counts.ties + counts.undecided + counts.unasked).toBe(n - 1);
    }
    expect(isCyclic(decision.pairs)).toBe(expected.cycle);
    // Where every pair was won, some three are a circle where any are; else none need be.
    const { triples, circles } = circlesIn(decision.pairs);
    if (triples === (n * (n - 1) * (n - 2)) / 6) expect(circles > 0).toBe(expected.cycle);
    else expect(circles > 0 && !expected.cycle).toBe(false);
    expectClose(base, expected.win_rate, "win_rate");
    expectClose(scored(n, games, "net_win_rate").base, expected.net_win_rate, "net_win_rate");
    // A rollout without a decision has no reward; the reference gives such a one 0.
    const known = (values: readonly (number | null)[]) => values.map((value, i) => (base[i] === null ? null : value));
    expectClose(scored(n, games, "copeland").base, known(expected.copeland), "copeland");
    // The reference ranks by wins + ties / 2, so that a pair that failed or was not asked counts as lost: a
    // failure is never a number here.
    const complete = gamesOf(games).length === (n * (n - 1)) / 2;
    if (complete) expectClose(scored(n, games, "rank").base, expected.rank_linear, "rank");
    expectClose(bradleyTerry(n, gamesOf(games), lambda), expected.bt_strength, "strength");
    if (soft !== undefined && expected.bt_strength_soft !== undefined) {
      expectClose(bradleyTerry(n, gamesOf(soft), lambda), expected.bt_strength_soft, "soft strength");
      const { base: graded } = scored(n, soft, "soft", true);
      for (const [i, value] of (expected.soft_mean ?? []).entries()) {
        // Graded outcomes are summed in steps of 2^-20.
        if (value !== null) expect(graded[i]).toBeCloseTo(value, 5);
      }
    }
    const told = base.flatMap((value, i) => (value === null ? [] : [{ value, label: labels[i] as number }]));
    const tau = kendallTauB(
      told.map(({ value }) => Number(value.toFixed(9))),
      told.map(({ label }) => label),
    ).tau;
    expectClose([tau], [expected.tau_b_win_rate_vs_labels], "tau_b");
  });
});
