// The guarantees of reward expressions: what they compute, that null spreads, that ranges hold, and
// that a fault names its column.

import { describe, expect, it, test } from "vitest";
import { type ValueRange, valued, without } from "../../../src/core/asking/signal-value.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { compileExpression, ExpressionFault } from "../../../src/core/reward/expression.ts";
import fc from "../../harness/property.ts";
import { lines } from "../../harness/vector-lines.ts";
import misc from "../../vectors/misc_formulas.json" with { type: "json" };
import vectors from "../../vectors/published_rewards.json" with { type: "json" };
import { RANGES } from "./expression-setup.ts";

/** The expression's values over a group, one number (or code) a rollout for each signal. */
function values(
  text: string,
  signals: Record<string, readonly (number | string)[]>,
  more: { lengths?: number[]; step?: number } = {},
) {
  const size = Object.values(signals)[0]?.length ?? more.lengths?.length ?? 1;
  const given = Object.fromEntries(
    Object.entries(signals).map(([name, list]) => [
      name,
      list.map((v) => (typeof v === "number" ? valued(v) : without(v as "deadline"))),
    ]),
  );
  const found = compileExpression(text, RANGES).evaluate({
    size,
    signals: given,
    lengths: more.lengths ?? Array(size).fill(0),
    step: more.step ?? 0,
  });
  return found.map(({ value, code }) => value ?? code);
}

describe("an expression computes", () => {
  it("what the vectors say", () => {
    const cases = lines<{ text: string; signals: Record<string, number[]>; expected: number[] }>(
      "expression_values.jsonl",
    );
    const near = (list: readonly unknown[]) => list.map((value) => expect.closeTo(value as number, 14));
    const found = cases.map(({ text, signals }) => ({ text, values: values(text, signals) }));
    expect(found).toEqual(cases.map(({ text, expected }) => ({ text, values: near(expected) })));
  });

  it("zscore by the population's deviation and 1e-4", () => {
    const deviation = Math.sqrt(2 / 3) + 1e-4;
    expect(values("zscore(c)", { c: [1, 2, 3] })).toEqual([-1 / deviation, 0, 1 / deviation]);
  });

  it("anneal linearly in the step, constant outside", () => {
    for (const [step, value] of [
      [0, 1],
      [10, 1],
      [15, 0.5],
      [20, 0],
      [99, 0],
    ] as const) {
      expect(values("anneal(1, 0, 10, 20)", { a: [0] }, { step })).toEqual([value]);
    }
  });

  it("length in tokens", () => {
    expect(values("clamp(length / 100, 0, 1)", {}, { lengths: [50, 500] })).toEqual([0.5, 1]);
  });

  it("par as the vectors have it, over each reference", () => {
    for (const { r, refs, k, value } of misc.par.cases as { r: number; refs: number[]; k: number; value: number }[]) {
      const ranges: Record<string, ValueRange> = { r: [-9, 9], ref: [-9, 9] };
      const found = refs.map((ref) => {
        const group = { size: 1, signals: { r: [valued(r)], ref: [valued(ref)] }, lengths: [], step: 0 };
        return (
          compileExpression(`sigmoid(${k} * (r - ref)) + par(r, ref) - par(r, ref)`, ranges).evaluate(group)[0]
            ?.value ?? 0
        );
      });
      expect(found.reduce((sum, one) => sum + one, 0) / refs.length).toBeCloseTo(value, 12);
    }
    expect(values("par(a, c)", { a: [1], c: [3] })[0]).toBeCloseTo(1 / (1 + Math.exp(2)), 14);
  });

  it("the backward noise correction as the vectors have it", () => {
    type Case = { rho0_fp: number; rho1_fn: number; backward_obs0: number; backward_obs1: number };
    for (const { rho0_fp, rho1_fn, backward_obs0, backward_obs1 } of misc.noise_correction.cases as Case[]) {
      if (rho0_fp + rho1_fn > 0.8) continue;
      const found = values(`correct(a, ${rho0_fp}, ${rho1_fn})`, { a: [0, 1] });
      expect(found[0]).toBeCloseTo(backward_obs0, 12);
      expect(found[1]).toBeCloseTo(backward_obs1, 12);
    }
  });
});

describe("null", () => {
  it("spreads with its code, the first in the order of the text", () => {
    expect(values("a + b", { a: ["deadline", 1], b: ["unparsed", 1] })).toEqual(["deadline", 2]);
    expect(values("0 * a", { a: ["deadline"] })).toEqual(["deadline"]);
    expect(values("a > 0 and b > 0", { a: [0], b: ["deadline"] })).toEqual(["deadline"]);
    expect(values("max(a, 1)", { a: ["deadline"] })).toEqual(["deadline"]);
  });

  it("does not spread from a branch that is not taken", () => {
    expect(values("if(a > 0, a, b)", { a: [1, 0, "cancelled"], b: ["deadline", "deadline", 1] })).toEqual([
      1,
      "deadline",
      "cancelled",
    ]);
  });

  it("leaves what its neighbours are measured against", () => {
    expect(values("centre(c)", { c: [1, "deadline", 3] })).toEqual([-1, "deadline", 1]);
    expect(values("gmin(c)", { c: ["deadline", "deadline"] })).toEqual(["deadline", "deadline"]);
  });
});

describe("a fault names its column", () => {
  it("as the vectors say", () => {
    const cases = lines<{ text: string; column: number; message: string }>("expression_faults.jsonl");
    const told = cases.map(({ text, message }) => {
      try {
        compileExpression(text, RANGES);
        return { text, column: null, message };
      } catch (error) {
        if (!(error instanceof ExpressionFault)) throw error;
        return { text, column: error.column, message: error.message.includes(message) ? message : error.message };
      }
    });
    expect(told).toEqual(cases);
  });

  it("and the limit that it passes", () => {
    expect(() => compileExpression("a".padEnd(LIMITS.expression_chars + 1), RANGES)).toThrow("expression_chars");
    expect(() => compileExpression(Array(101).fill("a").join("+"), RANGES)).toThrow("expression_nodes");
    expect(() => compileExpression(`${"(".repeat(499)}a${")".repeat(499)}`, RANGES)).not.toThrow();
  });
});

test("whatever the text, reading it ends in an expression or in a fault with a column", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "if",
    "not",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "<",
    "==",
    "1",
    ".5",
    "1e3",
    "and",
    " ",
    "min",
    "'",
    "[",
    "?",
    ":",
    "`",
    "=>",
    "é",
    "__proto__",
    ".",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        compileExpression(pieces.join(""), RANGES);
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionFault);
      }
    }),
    { numRuns: 3000 },
  );
});

test("an expression tells what it needs", () => {
  const found = compileExpression("zscore(a) + anneal(0, b, 1, 2) + length / 10 + a", RANGES);
  expect(found).toMatchObject({
    signals: ["a", "b"],
    facts: ["length", "step"],
    relative: true,
    normalising: ["zscore"],
  });
  expect(found.range[1]).toBe(Number.POSITIVE_INFINITY);
  expect(compileExpression("clamp(length / 10, 0, 1) + a", RANGES)).toMatchObject({ range: [0, 2], relative: false });
});

test.each(vectors.gcpo.map((v, i) => [i, v] as const))(
  "a contrast is GCPO's: %i",
  (_, { accuracy, has, contrast, rewards }) => {
    const ranges = { ok: [0, 1], aux: [0, 1] } as const;
    const group = {
      size: has.length,
      signals: { ok: accuracy.map(valued), aux: has.map(valued) },
      ...{ lengths: [], step: 0 },
    };
    const found = (text: string) =>
      compileExpression(text, ranges)
        .evaluate(group)
        .map(({ value }) => value);
    for (const value of found("contrast(ok, aux)")) expect(value).toBeCloseTo(contrast, 12);
    const gated = "if(aux, if(contrast(ok, aux) > 0.1, 1, if(contrast(ok, aux) < -0.1, -1, 0)), 0)";
    expect(found(gated)).toEqual(rewards);
  },
);

test("a rollout without a value is on no side of a contrast, and has none", () => {
  const signals = { c: [valued(4), without("unparsed"), valued(1), valued(9)], a: [1, 1, 0].map(valued) };
  const group = { size: 4, signals: { ...signals, a: [...signals.a, without("deadline")] }, lengths: [], step: 0 };
  expect(compileExpression("contrast(c, a)", RANGES).evaluate(group)).toEqual([
    valued(3),
    without("unparsed"),
    valued(3),
    without("deadline"),
  ]);
  expect(compileExpression("contrast(c, a)", RANGES)).toMatchObject({ range: [-10, 10], relative: true });
  expect(() => compileExpression("contrast(c)", RANGES)).toThrow("takes 2 arguments");
});
