// Soft outcomes: whatever was asked of a pair, and in whatever order it came, its outcome is the
// mean of the probabilities.

import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../src/core/asking/outcome.ts";
import { decide } from "../../../src/core/tournament/decision.ts";
import fc from "../../harness/property.ts";

const graded = { graded: true } as const;

describe("soft outcomes", () => {
  test("of both orders, with any number of samples each, average to one share of the pair", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(shares, shares, fc.boolean(), (forward, backward, turned) => {
        const questions = [
          { shown: [0, 1], samples: forward.length },
          { shown: [1, 0], samples: backward.length },
        ];
        const of = (question: number, all: readonly number[]): Outcome[] =>
          all.map((p) => ({ question, state: "parsed", winner: null, grades: [p, 1 - p] }));
        const outcomes = [...of(0, forward), ...of(1, backward)];
        const { shares: got } = decide(2, "pairwise", questions, turned ? outcomes.reverse() : outcomes, graded);
        const won = [...forward, ...backward.map((p) => 1 - p)];
        const mean = won.reduce((sum, p) => sum + p, 0) / won.length;
        expect(got[0]?.[1]).toBeCloseTo(mean, 5);
        expect((got[0]?.[1] as number) + (got[1]?.[0] as number)).toBe(1);
      }),
    );
  });
});
