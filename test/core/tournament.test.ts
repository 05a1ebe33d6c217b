// Invariant 1: A reward is a finite number inside the range its spec implies, or null with a code.
// Invariant 6: wins + losses + ties + undecided + unasked = n - 1 for every rollout; total wins =
// total losses.

import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/core/asking/outcome.ts";
import { FIRST } from "../../src/core/asking/purpose.ts";
import type { Presentation } from "../../src/core/asking/questions.ts";
import type { Classes } from "../../src/core/candidate/classes.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { hashText } from "../../src/core/math/random.ts";
import { gapsIn, ranks, tally } from "../../src/core/tournament/decide.ts";
import { type Decision, decide } from "../../src/core/tournament/decision.ts";
import { NOTHING_SEEN } from "../../src/core/tournament/presentation-results.ts";
import type { Score } from "../../src/core/tournament/score.ts";
import { SCORES } from "../../src/core/tournament/score-table.ts";
import { baseRewards, earnedOf } from "../../src/core/tournament/scores.ts";
import { type Standing, select } from "../../src/core/tournament/selection.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";
import fc from "../harness/property.ts";

const keysOf = (n: number) => Array.from({ length: n }, (_, i) => hashText("content", i));
const askPair = (a: number, b: number): Presentation => ({ shown: [a, b], samples: 1, purpose: FIRST });
const parsed = (question: number, winner: number | null): Outcome => ({ question, state: "parsed", winner });
const failed = (question: number): Outcome => ({ question, state: "failed", winner: null });
const unparsed = (question: number): Outcome => ({ question, state: "unparsed", winner: null });
const standingOf = (values: (number | null)[], { classOf }: Classes, decision: Decision): Standing => ({
  ...{ classOf, values, decision, points: values },
  ...{ unbeaten: "that_beat_it", keys: keysOf(classOf.length), seed: 0 },
});
const singles = (n: number): Classes => ({
  classOf: Array.from({ length: n }, (_, i) => i),
  members: Array.from({ length: n }, (_, i) => [i]),
});

/**
 * A group of rollouts (null = malformed, equal numbers = duplicates) and one outcome for each
 * generation of a round robin.
 */
const groups = fc
  .record({
    labels: fc.array(fc.option(fc.nat(5)), { minLength: 1, maxLength: 10 }),
    samples: fc.integer({ min: 1, max: 3 }),
    both: fc.boolean(),
    picks: fc.infiniteStream(fc.nat(3)),
  })
  .map(({ labels, samples, both, picks }) => {
    const distinct = [...new Set(labels.filter((label) => label !== null))];
    const classOf = labels.map((label) => (label === null ? null : distinct.indexOf(label)));
    const members = distinct.map((_, c) => classOf.flatMap((own, r) => (own === c ? [r] : [])));
    const judge = { ...DEFAULT_SPEC.judge, samples, both_orders: both };
    const asks = [...new TournamentRun({ keys: keysOf(distinct.length), judge, seed: 1 }).next(NOTHING_SEEN)];
    const outcomes = asks.flatMap(({ shown: order }, ask) =>
      Array.from({ length: samples }, (): Outcome => {
        const pick = picks.next().value as number;
        if (pick === 2) return unparsed(ask);
        return pick === 3 ? failed(ask) : parsed(ask, order[pick] as number);
      }),
    );
    return { classes: { classOf, members } satisfies Classes, asks, outcomes };
  });

/** Base rewards of a decision, gaps and all. */
function based(rule: string, classes: Classes, decision: Decision, minDecided?: number) {
  const tallies = tally(classes, decision);
  const gaps = gapsIn(classes.classOf, tallies, minDecided);
  const judged = classes.classOf.map((own, r) => own !== null && gaps[r] === null);
  const strengths = () => tallies.map(() => 0);
  const earned = earnedOf(classes, decision);
  const standing = { tallies, judged, earned, strengths, places: null, marks: earned };
  return { tallies, base: baseRewards(rule, standing, classes.classOf, gaps) };
}

describe("decide", () => {
  it("takes the majority of a pair's parsed verdicts", () => {
    const asks = [askPair(1, 0)];
    const three = [parsed(0, 0), parsed(0, 1), parsed(0, 0)];
    expect(decide(2, "pairwise", asks, three).pairs[0]?.[1]).toBe("win");
  });

  it("calls equal verdicts a tie, and a pair without a parsed verdict undecided", () => {
    const asks = [askPair(0, 1)];
    const result = (...outcomes: Outcome[]) => decide(2, "pairwise", asks, outcomes).pairs[0]?.[1];
    expect(result(parsed(0, 0), parsed(0, 1))).toBe("tie");
    expect(result(parsed(0, null))).toBe("tie");
    expect(result(unparsed(0), unparsed(0))).toBe("undecided");
    expect(result(failed(0), unparsed(0))).toBe("undecided");
    expect(result(failed(0), failed(0))).toBe("undecided");
  });

  it("calls a pair that was answered but never parsed a tie where the spec says so, as the paper's evaluation does", () => {
    const asks = [askPair(0, 1)];
    const result = (...outcomes: Outcome[]) => decide(2, "pairwise", asks, outcomes, { unparsed: "tie" }).pairs[0]?.[1];
    expect(result(unparsed(0))).toBe("tie");
    expect(result(failed(0), unparsed(0))).toBe("tie");
    expect(result(failed(0))).toBe("undecided");
  });

  it("adds both orders of a pair together", () => {
    const asks = [askPair(0, 1), askPair(1, 0)];
    expect(decide(2, "pairwise", asks, [parsed(0, 0), parsed(1, 1)]).pairs[0]?.[1]).toBe("tie");
    expect(decide(2, "pairwise", asks, [parsed(0, 0), unparsed(1)]).pairs[0]?.[1]).toBe("win");
  });

  it("compares votes in a list, and leaves a list without any answer undecided", () => {
    const asks: Presentation[] = [{ shown: [2, 0, 1], samples: 1, purpose: FIRST }];
    const decision = decide(3, "listwise", asks, [parsed(0, 2), parsed(0, 2), parsed(0, 0)]);
    expect(decision.votes).toEqual([1, 0, 2]);
    expect(decision.pairs).toEqual([
      ["tie", "win", "loss"],
      ["loss", "tie", "loss"],
      ["win", "win", "tie"],
    ]);
    expect(decide(3, "listwise", asks, [failed(0)]).pairs[0]?.[1]).toBe("undecided");
    expect(decide(3, "listwise", asks, [unparsed(0)]).pairs[0]?.[1]).toBe("undecided");
    expect(decide(3, "listwise", asks, [unparsed(0)], { unparsed: "tie" }).pairs[0]?.[1]).toBe("tie");
  });
});

describe("tally", () => {
  it("makes a malformed rollout lose to well-formed ones and tie with malformed ones", () => {
    const classes: Classes = { classOf: [0, null, null], members: [[0]] };
    const tallies = tally(classes, decide(1, "pairwise", [], []));
    expect(tallies[0]).toEqual({ wins: 2, losses: 0, ties: 0, undecided: 0, unasked: 0, forfeits: 0 });
    expect(tallies[1]).toEqual({ wins: 0, losses: 1, ties: 1, undecided: 0, unasked: 0, forfeits: 1 });
  });

  it("counts every opponent once, and as many wins as losses", () => {
    fc.assert(
      fc.property(groups, ({ classes, asks, outcomes }) => {
        const tallies = tally(classes, decide(classes.members.length, "pairwise", asks, outcomes));
        for (const t of tallies) expect(t.wins + t.losses + t.ties + t.undecided).toBe(tallies.length - 1);
        const total = (field: "wins" | "losses") => tallies.reduce((sum, t) => sum + t[field], 0);
        expect(total("wins")).toBe(total("losses"));
      }),
    );
  });

  it("does not depend on the order in which outcomes came", () => {
    fc.assert(
      fc.property(groups, fc.nat(), ({ classes, asks, outcomes }, turn) => {
        const n = classes.members.length;
        const cut = outcomes.length === 0 ? 0 : turn % outcomes.length;
        const turned = [...outcomes.slice(cut), ...outcomes.slice(0, cut)].reverse();
        expect(decide(n, "pairwise", asks, turned)).toEqual(decide(n, "pairwise", asks, outcomes));
      }),
    );
  });
});

describe("baseRewards", () => {
  const rules = fc.constantFrom(...Object.keys(SCORES));
  const shares = fc.constantFrom(1, 0.5, 0.01);

  it("needs the share of decided pairs that is asked for, pairs that a rival spoilt left out", () => {
    const asks = [askPair(0, 1), askPair(0, 2), askPair(1, 2)];
    const tallies = tally(singles(3), decide(3, "pairwise", asks, [parsed(0, 0), unparsed(1), unparsed(2)]));
    const gaps = (minDecided?: number, excused?: number[]) => gapsIn([0, 1, 2], tallies, minDecided, excused);
    expect(gaps()).toEqual(["partial", "partial", "unjudged"]);
    expect(gaps(0.5)).toEqual([null, null, "unjudged"]);
    expect(gaps(0.51)).toEqual(["partial", "partial", "unjudged"]);
    expect(gaps(1, [1, 0, 0])).toEqual([null, "partial", "unjudged"]);
  });

  it("stays inside its rule's range, is null exactly where too little was decided, and the least for malformed rollouts", () => {
    fc.assert(
      fc.property(groups, rules, shares, ({ classes, asks, outcomes }, rule, minDecided) => {
        const decision = decide(classes.members.length, "pairwise", asks, outcomes);
        const { tallies, base } = based(rule, classes, decision, minDecided);
        const [least, most] = (SCORES[rule] as Score).range(tallies.length);
        base.forEach((score, r) => {
          const { wins, losses, ties, undecided } = tallies[r] as (typeof tallies)[number];
          const own = classes.classOf[r];
          const rivals = classes.classOf.filter((other) => own !== null && other !== null && other !== own).length;
          const missing = minDecided === 1 ? undecided > 0 : undecided > 0 && rivals - undecided < minDecided * rivals;
          expect(score === null).toBe(wins + losses + ties === 0 || missing);
          if (score === null) return;
          expect(score).toBeGreaterThanOrEqual(least);
          expect(score).toBeLessThanOrEqual(most);
          if (classes.classOf[r] === null) expect(score).toBe(least);
        });
        const sharing = base.filter((score) => score !== null && score > 0);
        if (rule === "top1" && sharing.length > 0)
          expect(sharing.reduce<number>((a, b) => a + (b as number), 0)).toBeCloseTo(1, 12);
      }),
    );
  });

  it("follows the contract's example: two wins, one win, none", () => {
    const asks = [askPair(0, 1), askPair(0, 2), askPair(1, 2)];
    const decision = decide(3, "pairwise", asks, [parsed(0, 0), parsed(1, 0), parsed(2, 1)]);
    const of = (score: string) => based(score, singles(3), decision).base;
    expect(of("win_rate")).toEqual([1, 0.5, 0]);
    expect(of("top1")).toEqual([1, 0, 0]);
    expect(of("wins")).toEqual([2, 1, 0]);
  });
});

describe("ranks and select", () => {
  it("shares a rank among equal wins and leaves nulls unranked", () => {
    expect(ranks([2, 3, null, 2, 0])).toEqual([2, 1, null, 2, 4]);
  });

  it("breaks a tie of wins by the game between the tied", () => {
    // 0 and 1 have two wins each; 1 beat 0
    const asks = [askPair(0, 1), askPair(0, 2), askPair(0, 3), askPair(1, 2), askPair(1, 3), askPair(2, 3)];
    const decision = decide(4, "pairwise", asks, [
      parsed(0, 1),
      parsed(1, 0),
      parsed(2, 0),
      parsed(3, 1),
      parsed(4, 3),
      parsed(5, 2),
    ]);
    const wins = tally(singles(4), decision).map((t) => t.wins);
    expect(wins).toEqual([2, 2, 1, 1]);
    expect(select(standingOf(wins, singles(4), decision))).toEqual({ selected: 1, tied: [0, 1] });
  });

  it("breaks what is left by content and seed, never by position", () => {
    const cyclic = (a: number, b: number, c: number) => {
      const asks = [askPair(a, b), askPair(b, c), askPair(c, a)];
      return decide(3, "pairwise", asks, [parsed(0, a), parsed(1, b), parsed(2, c)]);
    };
    const keys = keysOf(3);
    const direct = select({ ...standingOf([1, 1, 1], singles(3), cyclic(0, 1, 2)), keys, seed: 7 }).selected as number;
    const moved = [2, 0, 1]; // place p now holds content moved[p]
    const movedKeys = moved.map((content) => keys[content] as (typeof keys)[number]);
    const again = select({ ...standingOf([1, 1, 1], singles(3), cyclic(1, 2, 0)), keys: movedKeys, seed: 7 })
      .selected as number;
    expect(moved[again]).toBe(direct);
    const chosen = new Set(
      Array.from(
        { length: 40 },
        (_, seed) => select({ ...standingOf([1, 1, 1], singles(3), cyclic(0, 1, 2)), seed }).selected,
      ),
    );
    expect(chosen.size).toBe(3);
  });

  it("selects nobody among malformed or unscored rollouts", () => {
    const classes: Classes = { classOf: [null, 0], members: [[1]] };
    expect(select(standingOf([0, null], classes, decide(1, "pairwise", [], [])))).toEqual({
      selected: null,
      tied: [],
    });
  });
});
