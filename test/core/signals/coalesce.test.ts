// That a null becomes a number by the user's word alone, and that the spec's check says where the
// null may be a backend's failure.
import { expect, test } from "vitest";
import { valued, without } from "../../../src/core/asking/signal-value.ts";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { compileExpression } from "../../../src/core/reward/expression.ts";
import { specLints } from "../../../src/core/reward/lints.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { RANGES } from "./expression-setup.ts";

const values = (text: string) =>
  compileExpression(text, RANGES)
    .evaluate({
      size: 3,
      signals: {
        a: [valued(1), without("deadline"), without("deadline")],
        b: [valued(-1), valued(-0.5), without("unparsed")],
      },
      lengths: [],
      step: 0,
    })
    .map(({ value, code }) => value ?? code);

test.each([
  ["coalesce(a, 0)", [1, 0, 0]],
  ["coalesce(a, b)", [1, -0.5, "unparsed"]],
  ["coalesce(a, coalesce(b, 2 * 3))", [1, -0.5, 6]],
  ["coalesce(a + b, 9)", [0, 9, 9]],
  ["if(coalesce(a, 0), 1, b)", [1, -0.5, "unparsed"]],
  ["rank(coalesce(a, 0))", [1, 0.25, 0.25]],
])("%s", (text, expected) => {
  expect(values(text)).toEqual(expected);
});

test("its range is that of both, and it takes two", () => {
  expect(compileExpression("coalesce(a, -3)", RANGES).range).toEqual([-3, 1]);
  expect(compileExpression("coalesce(a, c)", RANGES).range).toEqual([0, 10]);
  expect(() => compileExpression("coalesce(a)", RANGES)).toThrow("takes 2 arguments, not 1");
});

test("a warning says where a backend's failure becomes a number, and nowhere else", () => {
  const lints = (reward: string, when?: string) => {
    const spec = SignalsSpecSchema.parse({
      signals: {
        base: { kind: "tournament", ...(when !== undefined && { when }) },
        right: { kind: "reference" },
        style: { kind: "grade" },
      },
      reward,
    });
    return specLints(compileSpec(spec), 1e9).filter((one) => one.startsWith("failure_becomes_number"));
  };
  expect(lints("coalesce(base, 0) + right")).toEqual(["failure_becomes_number: coalesce(base, 0)"]);
  expect(lints("coalesce(right, 0) + base")).toEqual([]);
  expect(lints("coalesce(right * (base + 1), right)")).toEqual([
    "failure_becomes_number: coalesce(right * (base + 1), right)",
  ]);
  expect(lints("coalesce(right, base)")).toEqual([]);
  expect(lints("base", "coalesce(style, 1) > 0")).toEqual(["failure_becomes_number: coalesce(style, 1)"]);
});
