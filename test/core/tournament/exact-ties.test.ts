// Lists: whatever verdicts of lists of any lengths say, pairs are decided as exact fractions decide
// them, in any order of summing.

import { expect, test } from "vitest";
import type { Outcome } from "../../../src/core/asking/outcome.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { gradesIn, type Verdict, winnerOf } from "../../../src/core/judges/verdicts.ts";
import { decide, type PairResult } from "../../../src/core/tournament/decision.ts";
import fc from "../../harness/property.ts";

const SEED = 21;
const CLASSES = 7;

interface Said {
  shown: number[];
  verdict: Verdict;
}

const said: fc.Arbitrary<Said> = fc
  .shuffledSubarray(
    Array.from({ length: CLASSES }, (_, i) => i),
    { minLength: 2, maxLength: LIMITS.list_candidates_max },
  )
  .chain((shown) => {
    const places = fc.shuffledSubarray(
      shown.map((_, place) => place),
      { minLength: shown.length, maxLength: shown.length },
    );
    return fc.record({
      shown: fc.constant(shown),
      verdict: fc.oneof(
        places.map((ranking): Verdict => ({ kind: "ranking", places: ranking })),
        fc
          .array(fc.integer({ min: 1, max: 3 }), { minLength: shown.length, maxLength: shown.length })
          .map((scores): Verdict => ({ kind: "scores", scores })),
        fc.nat({ max: shown.length - 1 }).map((place): Verdict => ({ kind: "letter", place })),
        fc.shuffledSubarray(shown.map((_, place) => place)).map((all): Verdict => ({ kind: "letters", places: all })),
      ),
    });
  });

/**
 * A verdict's share for each place shown as a fraction over 2 (k - 1), by counting: twice those that it is
 * above, once those that it is level with; a winner has all, the others nothing.
 */
function fractionsOf({ shown, verdict }: Said): { over: bigint[]; under: bigint } {
  const k = shown.length;
  const under = BigInt(2 * (k - 1));
  const ranked = (above: (own: number, other: number) => number) =>
    shown.map((_, own) =>
      shown.reduce((sum, __, other) => (own === other ? sum : sum + BigInt(1 + Math.sign(above(own, other)))), 0n),
    );
  if (verdict.kind === "ranking") {
    const at = (place: number) => verdict.places.indexOf(place);
    return { over: ranked((own, other) => at(other) - at(own)), under };
  }
  if (verdict.kind === "scores" && k > 2) {
    const { scores } = verdict;
    return { over: ranked((own, other) => (scores[own] as number) - (scores[other] as number)), under };
  }
  if (verdict.kind === "letters") {
    return { over: shown.map((_, place) => (verdict.places.includes(place) ? under : 0n)), under };
  }
  const winner = winnerOf(verdict);
  return { over: shown.map((_, place) => (place === winner ? under : 0n)), under };
}

/** The pairs' results by sums of fractions over one denominator. */
function expected(all: readonly Said[]): PairResult[][] {
  const whole = all.reduce((product, one) => product * fractionsOf(one).under, 1n);
  return Array.from({ length: CLASSES }, (_, i) =>
    Array.from({ length: CLASSES }, (__, j): PairResult => {
      if (i === j) return "tie";
      const both = all.filter(({ shown }) => shown.includes(i) && shown.includes(j));
      if (both.length === 0) return "unasked";
      const margin = both.reduce((sum, one) => {
        const { over, under } = fractionsOf(one);
        const of = (c: number) => over[one.shown.indexOf(c)] as bigint;
        return sum + (of(i) - of(j)) * (whole / under);
      }, 0n);
      return margin === 0n ? "tie" : margin > 0n ? "win" : "loss";
    }),
  );
}

function decided(all: readonly Said[], ranks: boolean) {
  const outcomes = all.map(({ shown, verdict }, question): Outcome => {
    const grades = gradesIn(verdict, shown.length, { ranks });
    const place = winnerOf(verdict);
    const winner = place === null ? null : (shown[place] as number);
    return { question, state: "parsed", winner, ...(grades !== undefined && { grades }) };
  });
  const questions = all.map(({ shown }) => ({ shown, samples: 1 }));
  return decide(CLASSES, "listwise", questions, outcomes, { complete: false });
}

test("ties of places in lists are ties and wins are wins, whatever order the verdicts come in", () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 12 }), fc.nat(), (all, turn) => {
      const { pairs, shares } = decided(all, true);
      expect(pairs).toEqual(expected(all));
      const turned = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)].reverse();
      expect(decided(turned, true)).toMatchObject({ pairs, shares });
    }),
    { seed: SEED, numRuns: 600 },
  );
});

test("two lists of four whose thirds make up for each other are a tie", () => {
  // The second's lead of one place in the first list, and the first's in the other.
  const all = [
    { shown: [0, 1, 2, 3], verdict: { kind: "ranking", places: [2, 1, 0, 3] } },
    { shown: [0, 1, 4, 5], verdict: { kind: "ranking", places: [0, 1, 2, 3] } },
  ] satisfies Said[];
  expect(decided(all, true).pairs[0]?.[1]).toBe("tie");
});
