// A value that is not finite never becomes a number: where one arises, that rollout has none, and nothing is
// computed, compared or averaged with it. Against a plain evaluator of the same trees.

import { describe, expect, test } from "vitest";
import type { Valued, ValueRange } from "../../../src/core/asking/signal-value.ts";
import { valued, without } from "../../../src/core/asking/signal-value.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { exp, log, sigmoid } from "../../../src/core/math/elementary.ts";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { compileExpression } from "../../../src/core/reward/expression.ts";
import type { Expression } from "../../../src/core/reward/expression-parse.ts";
import { parseExpression, printExpression } from "../../../src/core/reward/expression-parse.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import fc from "../../harness/property.ts";

const HUGE = 1.7e308;
const RANGES: Record<string, ValueRange> = {
  a: [0, 1],
  b: [-1, 1],
  c: [-HUGE, HUGE],
  d: [0, Number.POSITIVE_INFINITY],
};
const NAMES = Object.keys(RANGES);

/** null: no value; `unbounded` where it was not finite, else the signal's own. */
type Plain = number | "unbounded" | "deadline";
type Group = Readonly<Record<string, readonly Plain[]>>;
interface Tree {
  text: string;
  of(group: Group): Plain[];
}

const checked = (x: number): Plain => (Number.isFinite(x) ? x + 0 : "unbounded");
/** Every number on the way, of which each must be finite. */
const steps = (...all: readonly number[]): Plain =>
  all.every(Number.isFinite) ? checked(all.at(-1) as number) : "unbounded";
const sum = (all: readonly number[]) => all.reduce((x, y) => x + y, 0);

const ONE: Record<string, (x: number) => Plain> = {
  "-($0)": (x) => checked(-x),
  "not ($0)": (x) => Number(x === 0),
  "abs($0)": (x) => checked(Math.abs(x)),
  "exp($0)": (x) => checked(exp(x)),
  "sqrt($0)": (x) => checked(Math.sqrt(x)),
  "log($0)": (x) => checked(log(x)),
  "sigmoid($0)": (x) => checked(sigmoid(x)),
  "clamp($0, -1, 2)": (x) => checked(Math.min(Math.max(x, -1), 2)),
  "($0) ^ 2": (x) => checked(x ** 2),
  "($0) ^ 0.5": (x) => checked(x ** 0.5),
  "($0) ^ -1": (x) => checked(x ** -1),
  "($0) / 1e-300": (x) => checked(x / 1e-300),
  "($0) * 1e200": (x) => checked(x * 1e200),
  "correct($0, 0.1, 0.2)": (x) => steps(x - 0.1, (x - 0.1) / (1 - 0.1 - 0.2)),
};
const TWO: Record<string, (x: number, y: number) => Plain> = {
  "($0) + ($1)": (x, y) => checked(x + y),
  "($0) - ($1)": (x, y) => checked(x - y),
  "($0) * ($1)": (x, y) => checked(x * y),
  "($0) < ($1)": (x, y) => Number(x < y),
  "($0) == ($1)": (x, y) => Number(x === y),
  "($0) and ($1)": (x, y) => Number(x !== 0 && y !== 0),
  "min($0, $1)": (x, y) => checked(Math.min(x, y)),
  "max($0, $1)": (x, y) => checked(Math.max(x, y)),
  "mean($0, $1)": (x, y) => steps(x + y, (x + y) / 2),
  "median($0, $1)": (x, y) => steps(x + y, (Math.min(x, y) + Math.max(x, y)) / 2),
  "par($0, $1)": (x, y) => steps(x - y, sigmoid(x - y)),
  "anneal($0, $1, 0, 10)": (x, y) => steps(y - x, x),
};
const OVER: Record<string, (all: readonly number[]) => Plain[]> = {
  gmin: (all) => all.map(() => Math.min(...all)),
  gmax: (all) => all.map(() => Math.max(...all)),
  gmean: (all) => all.map(() => steps(sum(all), mean(all))),
  centre: (all) => all.map((x) => steps(sum(all), x - mean(all))),
  zscore(all) {
    if (all.every((x) => x === all[0])) return all.map(() => 0);
    const spread = sum(all.map((x) => (x - mean(all)) ** 2));
    return all.map((x) => steps(sum(all), spread, (x - mean(all)) / (Math.sqrt(spread / all.length) + 1e-4)));
  },
};
const mean = (all: readonly number[]) => Math.min(Math.max(sum(all) / all.length, Math.min(...all)), Math.max(...all));

const filled = (text: string, ...parts: readonly Tree[]) =>
  parts.reduce((whole, part, i) => whole.replaceAll(`$${i}`, part.text), text);
const missing = (x: Plain): x is "unbounded" | "deadline" => typeof x === "string";

const trees = fc.letrec<{ leaf: Tree; tree: Tree }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(...NAMES).map((name) => ({
      text: name,
      of: (group: Group) => (group[name] ?? []).map((v) => (missing(v) ? v : v + 0)),
    })),
    fc
      .constantFrom(0, 1, 2, 1e308, 5e-324)
      .map((n) => ({ text: `${n}`, of: (group: Group) => (group.a ?? []).map((): Plain => n) })),
  ),
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.tuple(fc.constantFrom(...Object.keys(ONE)), tie("tree")).map(([text, x]) => ({
      text: `(${filled(text, x)})`,
      of: (group: Group) => x.of(group).map((v) => (missing(v) ? v : (ONE[text] as (x: number) => Plain)(v))),
    })),
    fc.tuple(fc.constantFrom(...Object.keys(TWO)), tie("tree"), tie("tree")).map(([text, x, y]) => ({
      text: `(${filled(text, x, y)})`,
      of(group: Group) {
        const right = y.of(group);
        return x.of(group).map((v, r) => {
          const w = right[r] as Plain;
          return missing(v) ? v : missing(w) ? w : (TWO[text] as (x: number, y: number) => Plain)(v, w);
        });
      },
    })),
    fc.tuple(tie("tree"), tie("tree"), tie("tree")).map(([x, y, z]) => ({
      text: `if(${x.text}, ${y.text}, ${z.text})`,
      of(group: Group) {
        const [yes, no] = [y.of(group), z.of(group)];
        return x.of(group).map((v, r) => (missing(v) ? v : ((v === 0 ? no : yes)[r] as Plain)));
      },
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([x, y]) => ({
      text: `coalesce(${x.text}, ${y.text})`,
      of(group: Group) {
        const other = y.of(group);
        return x.of(group).map((v, r) => (missing(v) ? (other[r] as Plain) : v));
      },
    })),
    fc.tuple(fc.constantFrom(...Object.keys(OVER)), tie("tree")).map(([name, x]) => ({
      text: `${name}(${x.text})`,
      of(group: Group) {
        const values = x.of(group);
        const numbers = values.filter((v) => !missing(v)) as number[];
        const found = numbers.length === 0 ? [] : (OVER[name] as (all: readonly number[]) => Plain[])(numbers);
        let next = 0;
        return values.map((v) => (missing(v) ? v : (found[next++] as Plain)));
      },
    })),
  ),
})).tree;

const extremes = [0, -0, 5e-324, 1e-300, 1e308, -1e308, HUGE, -HUGE, 0.5, 1, -1];
const value = ([low, high]: ValueRange): fc.Arbitrary<Plain> =>
  fc.oneof(
    fc.constantFrom(...extremes.filter((x) => x >= low && x <= high)),
    fc.double({ min: Math.max(low, -HUGE), max: Math.min(high, HUGE), noNaN: true }),
    fc.constant("deadline" as const),
  );
const groups = fc
  .integer({ min: 1, max: 5 })
  .chain((size) =>
    fc.record(
      Object.fromEntries(
        NAMES.map((n) => [n, fc.array(value(RANGES[n] as ValueRange), { minLength: size, maxLength: size })]),
      ),
    ),
  );

const columns = (group: Group) =>
  Object.fromEntries(
    Object.entries(group).map(([n, list]) => [n, list.map((v): Valued => (missing(v) ? without(v) : valued(v)))]),
  );
const evaluated = (text: string, group: Group) =>
  compileExpression(text, RANGES).evaluate({
    size: (group.a ?? []).length,
    signals: columns(group),
    lengths: [],
    step: 0,
  });

const parts = (text: string) => text.split(/[a-z0-9.]+/).length;

test("10,000 expressions over extreme values: each value is finite and of finite numbers alone, or null with its code", () => {
  const seen = { unbounded: 0, numbers: 0, refused: 0 };
  fc.assert(
    fc.property(trees, groups, (tree, group) => {
      if (tree.text.length > LIMITS.expression_chars || parts(tree.text) > LIMITS.expression_nodes / 2) return;
      const { range, leaves } = compileExpression(tree.text, RANGES);
      const found = evaluated(tree.text, group);
      expect(found.map(({ value, code }) => value ?? code)).toEqual(tree.of(group));
      seen.refused += Number(leaves !== null);
      for (const { value, code } of found) {
        seen.unbounded += Number(code === "unbounded");
        seen.numbers += Number(value !== null);
        if (value === null) continue;
        expect(Number.isFinite(value)).toBe(true);
        if (leaves !== null) continue;
        const slack = 1e-9 * Math.max(1, Math.abs(value));
        expect(value).toBeGreaterThanOrEqual(range[0] - slack);
        expect(value).toBeLessThanOrEqual(range[1] + slack);
      }
    }),
    { numRuns: 10_000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(500);
});

test("what is accepted over bounded signals has no value that is not finite", () => {
  const bounded = { a: RANGES.a as ValueRange, b: RANGES.b as ValueRange, c: RANGES.c as ValueRange };
  let accepted = 0;
  fc.assert(
    fc.property(trees, groups, (tree, group) => {
      if (/d/.test(tree.text.replace(/and|median/g, "")) || tree.text.length > LIMITS.expression_chars) return;
      if (parts(tree.text) > LIMITS.expression_nodes / 2) return;
      if (compileExpression(tree.text, bounded).leaves !== null) return;
      accepted++;
      for (const { code } of evaluated(tree.text, group)) expect(code).not.toBe("unbounded");
    }),
    { numRuns: 4_000 },
  );
  expect(accepted).toBeGreaterThan(500);
});

describe("a spec whose reward leaves a function's domain is refused, naming the function and the range", () => {
  const refusal = (reward: string, more: object = {}) => {
    const spec = SignalsSpecSchema.parse({
      signals: {
        kimi: { kind: "length", form: "kimi" },
        p: { kind: "logprob" },
        q: { kind: "logprob", ...more },
        far: { kind: "external", url: "https://x.example", range: [-1e100, 1e100] },
      },
      reward,
    });
    try {
      compileSpec(spec);
    } catch (error) {
      return error as { code: string; errors: { path: string; message: string }[] };
    }
    return null;
  };
  test.each([
    ["clamp(sqrt(kimi), 0, 1)", "sqrt(kimi): requires numbers of at least 0; the range of its argument is -0.5 to 0.5"],
    ["clamp(log(p) - log(q), -5, 5)", "log(p): requires numbers above 0; the range of its argument is 0 to 1"],
    ["clamp(p * log(p), -1, 0)", "log(p)"],
    ["rank(sqrt(kimi))", "sqrt(kimi)"],
    ["if(log(p), 1, 0)", "log(p)"],
    ["clamp(kimi ^ 0.5, 0, 1)", "kimi ^ 0.5"],
    ["clamp(p ^ -1, 0, 1)", "p ^ -1"],
    ["clamp(exp(length), 0, 1)", "exp(length): requires numbers of at most 709"],
    ["sigmoid(exp(1000 * p))", "exp(1000 * p)"],
    ["sigmoid(1e308 * 10 * p)", "1e+308 * 10: its value overflows"],
    ["clamp((far ^ 2) ^ 2, 0, 1)", "(far ^ 2) ^ 2: its value overflows"],
    ["sigmoid(far * 1e208 - p - -far * 1e208)", "its value overflows"],
    ["far * 1e10", "value_max"],
    ["clamp(p / 5e-324, 0, 1)", "p / 5e-324: its value overflows"],
    ["sigmoid(centre(far * 1e208))", "centre(far * 1e+208): its value overflows"],
  ])("%s", (reward, message) => {
    const error = refusal(reward);
    expect(error?.code).toBe("unbounded_reward");
    expect(error?.errors[0]?.path).toBe("spec.reward");
    expect(error?.errors[0]?.message).toContain(message);
  });

  test("and so is a `when`", () => {
    const error = refusal("kimi", { when: "sqrt(kimi) > 0" });
    expect(error?.errors[0]).toMatchObject({
      path: "spec.signals.q.when",
      message: expect.stringContaining("sqrt(kimi)"),
    });
  });

  test.each(["clamp(log(max(p, 0.001)), -5, 5)", "sqrt(max(kimi, 0))", "exp(kimi)", "clamp(length ^ 2 / 1e6, 0, 1)"])(
    "%s is none of them",
    (reward) => {
      expect(refusal(reward)).toBeNull();
    },
  );
});

/** A tree without its places. */
const shape = (tree: Expression): unknown =>
  tree.kind === "call" ? [tree.name, tree.args.map(shape)] : tree.kind === "number" ? tree.value : tree.name;

test("an expression that is printed reads as the same tree, and has the same values", () => {
  fc.assert(
    fc.property(trees, groups, (tree, group) => {
      if (tree.text.length > LIMITS.expression_chars || parts(tree.text) > LIMITS.expression_nodes / 2) return;
      const read = parseExpression(tree.text);
      const printed = printExpression(read);
      expect(shape(parseExpression(printed))).toEqual(shape(read));
      expect(printExpression(parseExpression(printed))).toBe(printed);
      expect(evaluated(printed, group)).toEqual(evaluated(tree.text, group));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["(-a) ^ 2", 4],
  ["-(a ^ 2)", -4],
  ["0 - a ^ 2", -4],
  ["(2 ^ 3) ^ 2", 64],
  ["(1 < a) == (a < 3)", 1],
  ["(1 < a) < a", 1],
  ["(not a) == 0", 1],
  ["not (a == 0)", 1],
  ["((a > 1)) * 2 - (3 - 1)", 0],
  ["a ^ -1 * 4", 2],
  ["1 - (2 - 3) - 4", -2],
  ["(12 / 6) / 2 * a", 2],
])("%s at a = 2 is %d", (text, expected) => {
  const of = (written: string) => compileExpression(written, { a: [2, 2] });
  const values = (written: string) =>
    of(written)
      .evaluate({ size: 1, signals: { a: [valued(2)] }, lengths: [], step: 0 })
      .map(({ value }) => value);
  expect(values(text)).toEqual([expected]);
  expect(values(printExpression(parseExpression(text)))).toEqual([expected]);
});

test.each(["-a ^ 2", "1 < a < 3", "not a == 0"])("%s reads in two ways, and is refused", (text) => {
  expect(() => compileExpression(text, { a: [2, 2] })).toThrow(/column/);
});
