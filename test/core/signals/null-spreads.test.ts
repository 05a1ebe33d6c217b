// 10,000 random expressions over values of which some are missing: null appears exactly where the
// rules say, and every other value lies in the range that was proved.

import { expect, test } from "vitest";
import { type Valued, type ValueRange, valued, without } from "../../../src/core/asking/signal-value.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { compileExpression } from "../../../src/core/reward/expression.ts";
import fc from "../../harness/property.ts";

const RANGES: Record<string, ValueRange> = { a: [0, 1], b: [-1, 1], c: [0, 10] };
type Group = Record<"a" | "b" | "c", readonly Valued[]>;

/** An expression as text, and which rollouts it has no value for, told without evaluating it. */
interface Tree {
  text: string;
  missing(group: Group): boolean[];
}

const evaluated = (text: string, signals: Group) =>
  compileExpression(text, RANGES).evaluate({ size: signals.a.length, signals, lengths: [], step: 7 });

const anyOf =
  (...parts: readonly Tree[]) =>
  (group: Group): boolean[] => {
    const all = parts.map((part) => part.missing(group));
    return group.a.map((_, r) => all.some((missing) => missing[r] === true));
  };

const name = (one: "a" | "b" | "c"): Tree => ({
  text: one,
  missing: (group) => group[one].map(({ value }) => value === null),
});
const number = (n: number): Tree => ({ text: `(${n})`, missing: (group) => group.a.map(() => false) });
/** For any operator or function but `if`: a missing argument is a missing value, used or not. */
const call = (template: string, ...parts: readonly Tree[]): Tree => ({
  text: parts.reduce((text, part, i) => text.replaceAll(`$${i}`, part.text), template),
  missing: anyOf(...parts),
});
/** For an `if` only the condition and the branch that it takes. */
const branch = (when: Tree, then: Tree, otherwise: Tree): Tree => ({
  text: `if(${when.text}, ${then.text}, ${otherwise.text})`,
  missing(group) {
    const [condition, yes, no] = [evaluated(when.text, group), then.missing(group), otherwise.missing(group)];
    return when.missing(group).map((missing, r) => missing || ((condition[r]?.value === 0 ? no : yes)[r] as boolean));
  },
});

const one =
  "sigmoid($0);abs($0);not ($0);centre($0);zscore($0);rank($0);gmean($0);gmin($0);gmax($0);cosine($0, 3, -1);correct($0, 0.1, 0.2);clamp($0, -1, 2)";
const two =
  "($0) + ($1);($0) - ($1);($0) * ($1);($0) < ($1);($0) == ($1);($0) and ($1);($0) or ($1);min($0, $1);max($0, $1);mean($0, $1);median($0, $1);par($0, $1);contrast($0, $1);anneal($0, $1, 5, 9)";

const trees = fc.letrec<{ leaf: Tree; tree: Tree }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom("a" as const, "b" as const, "c" as const).map(name),
    fc.integer({ min: -5, max: 5 }).map(number),
  ),
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.tuple(fc.constantFrom(...one.split(";")), tie("tree")).map(([t, x]) => call(`(0 + ${t})`, x)),
    fc
      .tuple(fc.constantFrom(...two.split(";")), tie("tree"), tie("tree"))
      .map(([t, x, y]) => call(`((${t}) * 1)`, x, y)),
    fc.tuple(tie("tree"), tie("tree"), tie("tree")).map(([x, y, z]) => branch(x, y, z)),
  ),
})).tree;

const value = ([low, high]: ValueRange) =>
  fc
    .option(fc.double({ min: low, max: high, noNaN: true }), { nil: null, freq: 4 })
    .map((v) => (v === null ? without("deadline") : valued(v)));
const groups = fc.integer({ min: 1, max: 6 }).chain((size) => {
  const column = (of: ValueRange) => fc.array(value(of), { minLength: size, maxLength: size });
  return fc.record({ a: column([0, 1]), b: column([-1, 1]), c: column([0, 10]) });
});

test("10,000 expressions have a value exactly where the rules say, inside the range that was proved", () => {
  const seen = { nulls: 0, values: 0, both: 0 };
  fc.assert(
    fc.property(trees, groups, ({ text, missing }, group) => {
      if (text.length > LIMITS.expression_chars || text.split(/[a-z0-9]+/).length > LIMITS.expression_nodes / 2) return;
      const { range, evaluate } = compileExpression(text, RANGES);
      const found = evaluate({ size: group.a.length, signals: group, lengths: [], step: 7 });
      expect(found.map((valued) => valued.value === null)).toEqual(missing(group));
      const slack = 1e-9 * Math.max(1, Math.abs(range[0]), Math.abs(range[1]));
      for (const { value, code } of found) {
        expect(code === null).toBe(value !== null);
        if (value === null) continue;
        expect(Number.isFinite(value)).toBe(true);
        expect(value).toBeGreaterThanOrEqual(range[0] - slack);
        expect(value).toBeLessThanOrEqual(range[1] + slack);
      }
      const nulls = found.filter((valued) => valued.value === null).length;
      seen.nulls += Number(nulls === found.length);
      seen.values += Number(nulls === 0);
      seen.both += Number(nulls > 0 && nulls < found.length);
    }),
    { numRuns: 10_000 },
  );
  // The property says something of all three.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});
