// `abstain()`: no reward by the spec's own word, told apart from a failure.
import { expect, test } from "vitest";
import { valued, without } from "../../../src/core/asking/signal-value.ts";
import { compileExpression, ExpressionFault } from "../../../src/core/reward/expression.ts";

const RANGES = { sure: [0, 1], right: [0, 1] } as const;
const compiled = (text: string) => compileExpression(text, RANGES);
const valuesOf = (text: string, sure: number | null, right: number | null) =>
  compiled(text).evaluate({
    size: 1,
    signals: {
      sure: [sure === null ? without("deadline") : valued(sure)],
      right: [right === null ? without("unparsed") : valued(right)],
    },
    lengths: [0],
    step: 0,
  })[0];

test("the branch taken decides; a failure stays a failure", () => {
  const text = "1 - if(sure > 0.8, right, abstain())";
  expect(valuesOf(text, 0.9, 0.25)).toEqual(valued(0.75));
  expect(valuesOf(text, 0.5, 0.25)).toEqual(without("abstained"));
  // The value of the branch not taken does not matter.
  expect(valuesOf(text, 0.5, null)).toEqual(without("abstained"));
  expect(valuesOf(text, null, 1)).toEqual(without("deadline"));
  expect(valuesOf(text, 0.9, null)).toEqual(without("unparsed"));
});

test("its rollout is no member of what its neighbours are measured against", () => {
  const sure = [1, 0, 1].map(valued);
  const right = [0, 0.5, 1].map(valued);
  const group = { size: 3, signals: { sure, right }, lengths: [0, 0, 0], step: 0 };
  expect(compiled("centre(if(sure, right, abstain()))").evaluate(group)).toEqual([
    valued(-0.5),
    without("abstained"),
    valued(0.5),
  ]);
});

test("the proved range is that of the branches that have a value", () => {
  expect(compiled("if(sure > 0.8, 2 * right, abstain())").range).toEqual([0, 2]);
  expect(compiled("if(0, abstain(), right) + 1").range).toEqual([1, 2]);
  expect(compiled("if(1, abstain(), right) + 1").range).toEqual([1, 2]);
  expect(compiled("if(sure, if(right, abstain(), 3), 4)").range).toEqual([3, 4]);
  expect(compiled("if(sure, abstain(), 1)").leaves).toBeNull();
});

test.each([
  ["abstain()", 1],
  ["1 + abstain()", 5],
  ["coalesce(right, abstain())", 17],
  ["if(abstain(), 1, 2)", 4],
  ["if(sure, abstain() + 1, 2)", 10],
  ["if(sure, abstain(), abstain())", 1],
  ["if(sure, if(right, abstain(), abstain()), 1)", 10],
  ["if(sure, abstain(1), 2)", 10],
])("%s is refused at column %i", (text, column) => {
  const fault = (() => {
    try {
      return compiled(text);
    } catch (error) {
      return error;
    }
  })();
  expect(fault).toBeInstanceOf(ExpressionFault);
  expect((fault as ExpressionFault).column).toBe(column);
});
