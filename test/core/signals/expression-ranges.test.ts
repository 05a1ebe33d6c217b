// That the value of any expression lies in the range that was proved, and which ranges cannot be.

import { expect, test } from "vitest";
import { type Valued, valued } from "../../../src/core/asking/signal-value.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { compileExpression } from "../../../src/core/reward/expression.ts";
import fc from "../../harness/property.ts";
import { RANGES } from "./expression-setup.ts";

/** Well-formed expressions over a, b and c. */
const expressions: fc.Arbitrary<string> = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom("a", "b", "c"),
    fc.integer({ min: -5, max: 5 }).map((n) => `(${n})`),
  ),
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc
      .tuple(tie("tree"), fc.constantFrom("+", "-", "*", "<", ">=", "and", "or"), tie("tree"))
      .map(([x, o, y]) => `(((${x}) ${o} (${y})) * 1)`),
    fc.tuple(tie("tree"), tie("tree"), tie("tree")).map(([x, y, z]) => `if(${x}, ${y}, ${z})`),
    fc
      .tuple(
        fc.constantFrom("sigmoid", "abs", "centre", "zscore", "rank", "gmean", "gmin", "gmax", "not "),
        tie("tree"),
      )
      .map(([f, x]) => `(0 + ${f}(${x}))`),
    fc
      .tuple(fc.constantFrom("min", "max", "mean", "median", "par", "contrast"), tie("tree"), tie("tree"))
      .map(([f, x, y]) => `${f}(${x}, ${y})`),
    tie("tree").map((x) => `clamp(${x}, -1, 2)`),
    fc
      .tuple(
        fc.constantFrom("floor(@)", "ceil(@)", "sqrt(abs(@))", "log(1 + abs(@))", "exp(clamp(@, -5, 5))"),
        tie("tree"),
      )
      .map(([f, x]) => `(0 + ${f.replace("@", `${x}`)})`),
    fc.tuple(tie("tree"), fc.constantFrom(0, 1, 2, 3)).map(([x, n]) => `clamp(${x}, -3, 2) ^ ${n}`),
    fc.tuple(tie("tree"), fc.constantFrom(0.5, 1.5)).map(([x, n]) => `clamp(${x}, 0, 2) ^ ${n}`),
    tie("tree").map((x) => `cosine(${x}, 3, -1)`),
    tie("tree").map((x) => `correct(${x}, 0.1, 0.2)`),
  ),
})).tree as fc.Arbitrary<string>;

test("a value lies in the range that was proved", () => {
  const rollout = fc.record({
    a: fc.double({ min: 0, max: 1, noNaN: true }),
    b: fc.double({ min: -1, max: 1, noNaN: true }),
    c: fc.double({ min: 0, max: 10, noNaN: true }),
  });
  fc.assert(
    fc.property(expressions, fc.array(rollout, { minLength: 1, maxLength: 6 }), (text, group) => {
      if (text.length > LIMITS.expression_chars) return;
      const expression = compileExpression(text, RANGES);
      const column = (name: "a" | "b" | "c"): Valued[] => group.map((r) => valued(r[name]));
      const found = expression.evaluate({
        size: group.length,
        signals: { a: column("a"), b: column("b"), c: column("c") },
        lengths: [],
        step: 0,
      });
      const [low, high] = expression.range;
      const slack = 1e-9 * Math.max(1, Math.abs(low), Math.abs(high));
      for (const { value } of found) {
        expect(Number.isFinite(value)).toBe(true);
        expect(value).toBeGreaterThanOrEqual(low - slack);
        expect(value).toBeLessThanOrEqual(high + slack);
        expect(Object.is(value, -0)).toBe(false);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the centre of equal numbers is exactly 0, whatever their mean rounds to: `if` takes the branch whose range was proved", () => {
  const group = { size: 6, signals: { a: Array.from({ length: 6 }, () => valued(0)) }, lengths: [], step: 0 };
  const expression = compileExpression("if(centre(correct(a - 3, 0.1, 0.2)), 0, -1)", { a: [0, 0] });
  expect(expression.range).toEqual([-1, -1]);
  expect(expression.evaluate(group).map(({ value }) => value)).toEqual(new Array(6).fill(-1));
});

test.each(["sqrt(b)", "log(a)", "b ^ 0.5", "a ^ -1", "exp(c ^ 3)"])(
  "%s has no finite range over these signals",
  (text) => {
    expect(compileExpression(text, RANGES).range.some((end) => !Number.isFinite(end))).toBe(true);
  },
);
