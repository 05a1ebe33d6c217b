// Holds that weights fitted without labels measure the truth better than the mean where judges
// differ, and that the fit says so plainly where they do not or cannot be known to.

import { describe, expect, test } from "vitest";
import fc from "../../../test/harness/property.ts";
import { fitEnsemble } from "../../ensembles/fit.ts";
import { AgreementMoments } from "../../ensembles/moments.ts";
import { oneFactorLoadings, reliability } from "../../ensembles/one-factor.ts";
import { SCENARIOS, type Scenario, simulate } from "../../ensembles/simulate.ts";

const scenario = (name: string) => SCENARIOS.find((one) => one.name.startsWith(name)) as Scenario;
const SEEDS = [1, 2, 3, 4, 5];

describe("loadings", () => {
  test("are found again where the model holds exactly, whatever they are", () => {
    const loading = fc.double({ min: 0.15, max: 0.95, noNaN: true });
    fc.assert(
      fc.property(fc.array(loading, { minLength: 3, maxLength: 8 }), (truth) => {
        const correlations = truth.map((own, i) => truth.map((other, j) => (i === j ? 1 : own * other)));
        const found = oneFactorLoadings(correlations);
        for (const [i, one] of found.entries()) expect(one).toBeCloseTo(truth[i] as number, 4);
        // No weights measure it better than the model's own.
        expect(reliability(truth, truth, correlations)).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  test("of three judges are the triplets' own", () => {
    const [r12, r13, r23] = [0.42, 0.28, 0.24];
    const found = oneFactorLoadings([
      [1, r12, r13],
      [r12, 1, r23],
      [r13, r23, 1],
    ]);
    const triplets = [(r12 * r13) / r23, (r12 * r23) / r13, (r13 * r23) / r12].map(Math.sqrt);
    for (const [i, one] of found.entries()) expect(one).toBeCloseTo(triplets[i] as number, 6);
  });
});

describe("over judges of known quality", () => {
  test.each([
    ["five judges from 0.9", 0.1],
    ["one good", 0.15],
    ["votes", 0.1],
    ["prompts of very different", 0.1],
    ["five judges, 40 groups", 0.08],
  ])("%s: the weights beat the mean, nearly as well as who knows the truth", (name, gain) => {
    for (const seed of SEEDS) {
      const { fit, mean, recommended, possible } = simulate(scenario(name), seed);
      expect([seed, fit.better, fit.reasons.filter((reason) => reason !== "no_signal")]).toEqual([seed, true, []]);
      expect(recommended.correlation).toBeGreaterThan(mean.correlation + gain);
      expect(recommended.correlation).toBeGreaterThan(possible.correlation - 0.03);
      expect(recommended.best).toBeGreaterThan(mean.best);
      const { weighted = 0, mean: plain = 1 } = fit.reliability ?? {};
      expect(weighted).toBeGreaterThan(plain);
    }
  });

  test.each([
    ["five equal judges", "no_gain"],
    ["two judges", "too_few_judges"],
    ["five judges, 15 groups", "too_few_rollouts"],
    ["four judges, two with one error", "dependent_judges"],
    ["three judges, two with one error", "dependence_unchecked"],
    ["three judges, 0.8", "dependence_unchecked"],
  ])("%s: the mean is recommended, for %s", (name, reason) => {
    for (const seed of SEEDS) {
      const { fit, mean, recommended } = simulate(scenario(name), seed);
      expect([seed, fit.better]).toEqual([seed, false]);
      expect(fit.reasons).toContain(reason);
      expect(fit.expression).toBe(`mean(${Object.keys(fit.judges).join(", ")})`);
      expect(recommended.correlation).toBeCloseTo(mean.correlation, 12);
    }
  });

  test("a judge that guesses, and one that is wrong, are told and left out, also of the mean", () => {
    const guess = simulate(scenario("0.8, 0.6, 0.4 and one that guesses"), 1).fit;
    expect(guess.judges.judge_4).toMatchObject({ signal: "none", weight: 0 });
    const wrong = simulate(scenario("0.8, 0.6, 0.4 and one that is wrong"), 1).fit;
    expect(wrong.judges.judge_4).toMatchObject({ signal: "against", weight: 0 });
    for (const fit of [guess, wrong]) {
      expect(fit.expression).toBe("mean(judge_1, judge_2, judge_3)");
      expect(fit.weighted).toMatch(/^0\.\d+ \* judge_1 \+ 0\.\d+ \* judge_2 \+ 0\.\d+ \* judge_3$/);
    }
  });
});

test("rollouts without every value are left out, and groups that are left with one", () => {
  const moments = new AgreementMoments(["a", "b"]);
  moments.add([
    [1, 2, null],
    [1, 3, 5],
  ]);
  moments.add([
    [1, null],
    [null, 2],
  ]);
  expect([moments.groups, moments.rollouts, moments.nulls]).toEqual([1, 2, [2, 1]]);
});

test("judges without a spread, or nothing at all, give equal weights and the mean", () => {
  const flat = new AgreementMoments(["a", "b", "c"]);
  for (let g = 0; g < 200; g++)
    flat.add([
      [1, 1],
      [0, 0],
      [0.5, 0.5],
    ]);
  for (const moments of [flat, new AgreementMoments(["a", "b", "c"])]) {
    const fit = fitEnsemble(moments);
    expect(fit).toMatchObject({ better: false, weighted: null, reliability: null, expression: "mean(a, b, c)" });
    expect(fit.reasons).toContain("too_few_judges");
    for (const { weight, signal } of Object.values(fit.judges)) {
      expect(weight).toBeCloseTo(1 / 3, 12);
      expect(signal).toBe("none");
    }
  }
});
