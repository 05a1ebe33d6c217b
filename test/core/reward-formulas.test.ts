// Owns the golden cases of misc_formulas.json on rewards and log probabilities.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chosenLogprobs,
  intuitorSelfCertainty,
  meanTokenEntropy,
  probabilityDisparity,
  selfCertainty,
  sequenceSignals,
  twoOrderLogOdds,
} from "../../scripts/lab/research/logprobs.ts";
import {
  backwardCorrection,
  biasInfluenceRatio,
  centre,
  forwardWeight,
  groupNormalise,
  leaveOneOut,
  preferenceAsReward,
  rlprReward,
  sampleStd,
  trueRate,
  youdenIndex,
} from "../../scripts/lab/research/transforms.ts";
import { softVerdict } from "../../src/core/judges/logprobs.ts";
import golden from "../vectors/misc_formulas.json" with { type: "json" };
import { expectAllClose, expectClose } from "./closeness.ts";

describe("transforms", () => {
  test.each(golden.par.cases)("PAR of $r against $refs", ({ r, refs, k, value }) => {
    expectClose(preferenceAsReward(r, refs, k), value);
  });

  test("PAR needs a reference and finite numbers, and never overflows", () => {
    expect(() => preferenceAsReward(1, [])).toThrow(RangeError);
    expect(() => preferenceAsReward(Number.NaN, [0])).toThrow(RangeError);
    expect(preferenceAsReward(-1e308, [0])).toBe(0);
    expect(preferenceAsReward(1e308, [0])).toBe(1);
  });

  test.each(golden.noise_correction.cases)("noise correction at rho0 $rho0_fp, rho1 $rho1_fn", (c) => {
    const noise = { rho0: c.rho0_fp, rho1: c.rho1_fn };
    expectClose(backwardCorrection(0, noise), c.backward_obs0);
    expectClose(backwardCorrection(1, noise), c.backward_obs1);
    expectClose(forwardWeight(0, noise), c.forward_w0);
    expectClose(forwardWeight(1, noise), c.forward_w1);
    expectClose(youdenIndex(noise), c.forward_gain);
  });

  test("the backward correction is unbiased and the forward weight vanishes on correct answers", () => {
    const rate = fc.double({ min: 0, max: 0.45, noNaN: true });
    fc.assert(
      fc.property(rate, rate, (rho0, rho1) => {
        const noise = { rho0, rho1 };
        const [b0, b1] = [backwardCorrection(0, noise), backwardCorrection(1, noise)];
        expectClose(rho0 * b1 + (1 - rho0) * b0, 0, 1e-11);
        expectClose(rho1 * b0 + (1 - rho1) * b1, 1, 1e-11);
        expectClose(rho1 * forwardWeight(0, noise) + (1 - rho1) * forwardWeight(1, noise), 0);
      }),
    );
  });

  test("a verifier no better than chance cannot be corrected", () => {
    expect(() => backwardCorrection(1, { rho0: 0.5, rho1: 0.5 })).toThrow(/Youden/);
    expect(() => forwardWeight(1, { rho0: 0.5, rho1: 0.46 })).toThrow(RangeError);
    expect(() => youdenIndex({ rho0: -0.1, rho1: 0 })).toThrow(RangeError);
    expectClose(trueRate([1, 1, 0, 0], { rho0: 0.1, rho1: 0.1 }), 0.5);
    expect(trueRate([0, 0], { rho0: 0.1, rho1: 0.1 })).toBe(0);
    expect(trueRate([], { rho0: 0.1, rho1: 0.1 })).toBeNull();
  });

  test.each(golden.group_normalisation.cases)("group normalisation of $rewards", (c) => {
    expectClose(sampleStd(c.rewards), c.std_unbiased);
    for (const framework of ["trl", "verl", "openrlhf"] as const) {
      expectAllClose(groupNormalise(c.rewards, framework), c[framework]);
    }
    expectAllClose(centre(c.rewards), c.no_std);
    expectAllClose(leaveOneOut(c.rewards), c.rloo);
  });

  test("a group of equal rewards has advantage 0 exactly, whatever the rounding", () => {
    expect(groupNormalise([0.1, 0.1, 0.1], "openrlhf")).toEqual([0, 0, 0]);
  });

  test.each(golden.rlpr_reward.cases)("RLPR reward of $B after $A", ({ A, B, format, c, value }) => {
    expectClose(rlprReward(B, A, format, c), value);
  });

  test.each(golden.bias_influence_ratio.cases)("bias influence ratio $bir", ({ to_incorrect, to_correct, bir }) => {
    expectClose(biasInfluenceRatio(to_incorrect, to_correct), bir);
  });
});

describe("log probabilities", () => {
  test.each(golden.logprob_signals.cases)("signals of $name", (c) => {
    const steps = c.token_distributions.map((probabilities, i) => ({ probabilities, chosen: c.chosen[i] as number }));
    expectClose(selfCertainty(steps), c.self_certainty);
    expectClose(intuitorSelfCertainty(steps), c.intuitor_self_certainty);
    expectClose(meanTokenEntropy(steps), c.mean_token_entropy);
    expectClose(-meanTokenEntropy(steps), c.token_entropy_reward);
    expectClose(probabilityDisparity(steps), c.prob_disparity);
    const sequence = sequenceSignals(chosenLogprobs(steps));
    expectClose(sequence.logprob, c.sequence_logprob);
    expectClose(sequence.meanLogprob, c.mean_logprob);
    expectClose(sequence.probability, c.sequence_prob);
    expectClose(sequence.meanProbability, c.rlpr_mean_prob);
  });

  test("an impossible token counts nothing for entropy, and empty sequences are refused", () => {
    expectClose(meanTokenEntropy([{ probabilities: [1, 0], chosen: 0 }]), 0);
    expect(selfCertainty([{ probabilities: [1, 0], chosen: 0 }])).toBe(Number.POSITIVE_INFINITY);
    expect(() => selfCertainty([])).toThrow(RangeError);
    expect(() => sequenceSignals([])).toThrow(RangeError);
    expect(() => chosenLogprobs([{ probabilities: [1], chosen: 1 }])).toThrow(RangeError);
  });

  test.each(golden.soft_verdict.cases)("soft verdict of $option_logprobs", (c) => {
    const soft = softVerdict(new Map(Object.entries(c.option_logprobs as Record<string, number>)), c.num_candidates);
    expectAllClose(soft?.distribution ?? null, Object.values(c.dist as Record<string, number>));
    expect(String.fromCharCode(65 + (soft?.argmax ?? -1))).toBe(c.argmax);
    expectClose(soft?.massSeen ?? null, c.mass_seen);
  });

  test("a soft verdict takes the better of both spellings and is null when no letter was seen", () => {
    const spaced = softVerdict(new Map([["A", -3], [" A", -0.1], ["B", -2.4]]), 2); // biome-ignore format: one line
    expectClose(spaced?.distribution[0] ?? null, 0.908877038985144);
    expect(softVerdict(new Map([["the", -0.1], ["C", -1]]), 2)).toBeNull(); // biome-ignore format: one line
    expect(() => softVerdict(new Map([["A", 0.5]]), 2)).toThrow(RangeError);
    expect(() => softVerdict(new Map([["A", -1]]), 1)).toThrow(RangeError);
  });

  test("averaging both orders removes an additive position bias", () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }), (truth, bias) => {
        expectClose(twoOrderLogOdds(truth + bias, -truth + bias), truth);
      }),
    );
  });
});
