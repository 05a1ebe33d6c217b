// Several judges in one spec, and corrections of noise: the golden rows by expressions, and what a
// missing judge does.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ValueRange, valued, without } from "../../../src/core/asking/signal-value.ts";
import { spearman } from "../../../src/core/math/tau-b.ts";
import { compileExpression, ExpressionFault } from "../../../src/core/reward/expression.ts";
import golden from "../../vectors/noise_ensemble.json" with { type: "json" };

interface Case {
  name: string;
  input: {
    kind: string;
    values: (number | null)[];
    weights: number[];
    /** Deviations that `mean_minus_std` takes off. */
    k: number;
    rho0: number;
    rho1: number;
    observed: number[];
    votes: (number | null)[][];
    tpr: number[];
    tnr: number[];
    prior: number;
    x: number[];
    y: number[];
    size: number;
  };
  expected: Record<string, number | number[] | null>;
}
const ofKind = (kind: string) =>
  (golden.cases as unknown as Case[]).filter(({ input }) => input.kind === kind).map((one) => [one.name, one] as const);

/** An expression over judges j0, j1, .. of one rollout. */
function combined(text: string, judges: readonly (number | null)[]): number | null {
  const ranges = Object.fromEntries(judges.map((_, i) => [`j${i}`, [-10, 10] as ValueRange]));
  const signals = Object.fromEntries(
    judges.map((value, i) => [`j${i}`, [value === null ? without("deadline") : valued(value)]]),
  );
  return compileExpression(text, ranges).evaluate({ size: 1, signals, lengths: [], step: 0 })[0]?.value ?? null;
}

/** The deviation with n - 1, as an expression. */
const sampleStd = (names: readonly string[]) =>
  `sqrt((${names.map((one) => `(${one} - mean(${names})) ^ 2`).join(" + ")}) / ${names.length - 1})`;

describe("judges together", () => {
  test.each(ofKind("ensemble"))("%s", (_, { input: { values, weights, k }, expected }) => {
    const names = values.map((_, i) => `j${i}`);
    const weight = weights.reduce((sum, one) => sum + one, 0);
    const texts = {
      mean: `mean(${names})`,
      median: `median(${names})`,
      ...(names.length > 1 && { min: `min(${names})`, max: `max(${names})` }),
      ...(names.length > 1 && { mean_minus_std: `mean(${names}) - ${k} * ${sampleStd(names)}` }),
      ...(weight > 0 && {
        weighted_mean: `(${names.map((one, i) => `${weights[i]} * ${one}`).join(" + ")}) / ${weight}`,
      }),
    };
    for (const [name, text] of Object.entries(texts)) {
      const found = combined(text, values);
      // A judge that is missing leaves no value: the rest of an ensemble is another ensemble.
      if (values.includes(null)) expect(found, name).toBeNull();
      else expect(found, name).toBeCloseTo(expected[name] as number, 9);
    }
  });
});

describe("the backward correction of noise", () => {
  test.each(ofKind("noise"))("%s", (_, { input: { rho0, rho1, observed }, expected }) => {
    const text = `correct(j0, ${rho0}, ${rho1})`;
    // Ours refuses sooner than the vectors, which do from 0.95 on: beyond 0.8 noise counts
    // fivefold.
    if (rho0 + rho1 > 0.8) {
      expect(() => combined(text, [0])).toThrow(ExpressionFault);
      return;
    }
    observed.forEach((one, i) => {
      expect(combined(text, [one])).toBeCloseTo((expected.backward as number[])[i] as number, 9);
    });
  });
});

describe("what else the rows of noise say, as expressions", () => {
  test.each(ofKind("noise"))("%s", (_, { input: { rho0, rho1, observed }, expected }) => {
    if (expected.forward === null || rho0 + rho1 > 0.8) return;
    const weights = observed.map((one) => combined(`j0 - 1 + ${rho1}`, [one]));
    weights.forEach((one, i) => void expect(one).toBeCloseTo((expected.forward as number[])[i] as number, 9));
    const group = { size: observed.length, signals: { j0: observed.map(valued) }, lengths: [], step: 0 };
    const rate = compileExpression(`clamp(gmean(correct(j0, ${rho0}, ${rho1})), 0, 1)`, { j0: [0, 1] });
    for (const { value } of rate.evaluate(group)) expect(value).toBeCloseTo(expected.true_rate as number, 9);
  });
});

/** lab/ensembles/README.md: what votes of judges with known rates say together, as an expression. */
function posterior({ tpr, tnr, prior }: Case["input"]): string {
  const rate = (p = 0) => Math.min(0.99, Math.max(0.01, p));
  const said = tpr.map((hit, i) => {
    const [t, f] = [rate(hit), 1 - rate(tnr[i])];
    return `j${i} * log(${t} / ${f}) + (1 - j${i}) * log(${1 - t} / ${1 - f})`;
  });
  return `sigmoid(${[`log(${prior} / ${1 - prior})`, ...said].join(" + ")})`;
}

describe("votes of judges with known rates", () => {
  test.each(ofKind("naive_bayes"))("%s", (_, { input, expected }) => {
    input.votes.forEach((votes, i) => {
      const found = combined(posterior(input), votes);
      if (votes.includes(null)) expect(found).toBeNull();
      else expect(found).toBeCloseTo((expected.posterior as number[])[i] as number, 9);
    });
  });
});

describe("drift of two signals, window by window, is the correlation that alarms go by", () => {
  test.each(ofKind("drift"))("%s", (_, { input: { x, y, size }, expected }) => {
    const windows = expected.windows as unknown as { start: number; n: number; spearman: number | null }[];
    for (const { start, n, spearman: rank } of windows) {
      const found = spearman(x.slice(start, start + size), y.slice(start, start + size));
      // The rows want three pairs; ours has two, and alarms look at whole groups.
      if (n < 3) expect(Math.abs(found as number)).toBe(1);
      else if (rank === null) expect(found).toBeNull();
      else expect(found).toBeCloseTo(rank, 9);
    }
  });
});

test("every kind of row is held here, or lab/ensembles/README.md says why it is not computed", () => {
  const held = ["drift", "ensemble", "naive_bayes", "noise"];
  const others = ["drop_rule", "weaver_continuous"];
  expect(new Set(golden.cases.map(({ input }) => input.kind))).toEqual(new Set([...held, ...others]));
  const document = readFileSync(new URL("../../../lab/ensembles/README.md", import.meta.url), "utf8");
  for (const kind of others) expect(document).toContain(`\`${kind}\``);
});

test("why the released weights are not ours: second moments, which the level rules, take off what the best judge says", () => {
  const row = golden.cases.find(({ name }) => name === "continuous_four_one_noise") as unknown as {
    input: { X: number[][] };
    expected: { released: { weights: number[] } };
  };
  const [released = 0] = row.expected.released.weights;
  expect(released).toBeLessThan(0);
  // Centred, that judge agrees with the second and the third.
  const column = (i: number) => row.input.X.map((values) => values[i] as number);
  for (const i of [1, 2]) expect(spearman(column(0), column(i))).toBeGreaterThan(0.5);
});
