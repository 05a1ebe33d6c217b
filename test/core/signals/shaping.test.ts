// The kinds without a verifier against vectors made by running other projects' code: length,
// repetition, tests, steps, logprob, consensus.
import { describe, expect, test } from "vitest";
import { valued } from "../../../src/core/asking/signal-value.ts";
import { compileExpression } from "../../../src/core/reward/expression.ts";
import { clusterShares, majorityRewards } from "../../../src/core/signals/consensus.ts";
import { cosineShare, kimiShares } from "../../../src/core/signals/length.ts";
import { meanProbability, sequenceLikelihood } from "../../../src/core/signals/logprob.ts";
import { repeatedShare, wordsOf } from "../../../src/core/signals/repetition.ts";
import { firstWrong, reduceSteps } from "../../../src/core/signals/steps-score.ts";
import { type TestResult, testsScore } from "../../../src/core/signals/tests-score.ts";
import labelfree from "../../vectors/labelfree_logprob.json" with { type: "json" };
import process from "../../vectors/process.json" with { type: "json" };
import shaping from "../../vectors/shaping.json" with { type: "json" };
import results from "../../vectors/tests_results.json" with { type: "json" };

interface Case {
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each vector has the inputs of what made it
  input: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  expected: any;
}
const cases = (file: { cases: unknown[] }, of: (one: Case) => boolean) =>
  (file.cases as Case[]).filter(of).map((one) => [`${one.id} ${one.name}`, one] as const);
const ofImpl = (impl: string) => cases(shaping, ({ input }) => input.impl === impl);
const ofKind = (file: { cases: unknown[] }, kind: string) => cases(file, ({ input }) => input.kind === kind);

/** An expression's value for one rollout with these signals, all of them within -100 and 100. */
function expressed(text: string, values: Record<string, number>): number | null {
  const ranges = Object.fromEntries(Object.keys(values).map((name) => [name, [-100, 100] as const]));
  const signals = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [valued(value)]]));
  return compileExpression(text, ranges).evaluate({ size: 1, signals, lengths: [0], step: 0 })[0]?.value ?? null;
}

describe("length", () => {
  test.each(ofImpl("trl_cosine").filter(([, { input }]) => input.gold_parsed))("as TRL's cosine: %s", (_, one) => {
    const { length, max_len, correct, ...ends } = one.input;
    const { min_value_correct: lo, max_value_correct: hi, min_value_wrong, max_value_wrong } = ends;
    const span = (from: number, to: number) => `${from} + ${to - from} * w`.replace("+ -", "- ").replace("* -", "* -");
    const text = `if(ok, ${span(lo, hi)}, ${span(max_value_wrong, min_value_wrong)})`;
    const reward = expressed(text, { w: cosineShare(length, max_len), ok: correct ? 1 : 0 });
    expect(reward).toBeCloseTo(one.expected.value, 12);
  });

  test.each(
    [...ofImpl("ms_swift_cosine"), ...ofImpl("open_r1_cosine")].filter(
      ([, { input }]) => input.gold_parsed && input.length <= input.max_len,
    ),
  )("as the cosines that do not clamp, up to their length: %s", (_, { input, expected }) => {
    const [from, to] = input.correct
      ? [input.min_value_correct, input.max_value_correct]
      : [input.max_value_wrong, input.min_value_wrong];
    expect(from + (to - from) * cosineShare(input.length, input.max_len)).toBeCloseTo(expected.value, 12);
  });

  test.each(ofImpl("kimi_length"))("as Kimi's: %s", (_, { input, expected }) => {
    const rewards = kimiShares(input.lengths).map((k, i) =>
      expressed("if(ok, k, min(0, k))", { k, ok: input.correct[i] === false ? 0 : 1 }),
    );
    rewards.forEach((reward, i) => {
      expect(reward).toBeCloseTo(expected.values[i], 12);
    });
  });
});

describe("repetition", () => {
  test.each(ofImpl("trl_repetition"))("as TRL's over tokens: %s", (_, { input, expected }) => {
    expect(repeatedShare([input.ids], input.ngram) * input.max_penalty + 0).toBeCloseTo(expected.value, 12);
  });

  test.each(ofImpl("open_r1_repetition"))("as open-r1's over words: %s", (_, { input, expected }) => {
    expect(repeatedShare([wordsOf(input.text)], input.ngram) * input.max_penalty + 0).toBeCloseTo(expected.value, 12);
  });
});

describe("tests", () => {
  const asSent = (statuses: string[], scores?: number[]): TestResult[] =>
    statuses.map((status, i) => ({
      status: (status === "partial" ? "fail" : status) as TestResult["status"],
      weight: 1,
      ...(scores !== undefined && { score: Math.min(1, scores[i] as number) }),
    }));

  test.each(ofKind(results, "tests"))("%s", (_, { input, expected }) => {
    for (const score of ["all_pass", "rate", "rate_bonus"] as const) {
      const { value, code } = testsScore(asSent(input.statuses), { score });
      if (expected[score] === null) expect(value, score).toBeNull();
      else expect(value, score).toBeCloseTo(expected[score], 12);
      if (expected[score] === null) expect(code).toBe(expected.reason === "infra" ? "sandbox_failed" : "no_tests");
    }
  });

  // A submission without code has no tests here: the format rule has_candidate is for that.
  test.each(ofKind(results, "subtask").filter(([, { input }]) => input.code_found))("%s", (_, { input, expected }) => {
    const { value } = testsScore(asSent(input.statuses, input.scores), { score: "subtask_min" });
    if (expected.subtask_min === null) expect(value).toBeNull();
    // The release rounds to score_precision places.
    else
      expect(Math.abs((value as number) - expected.subtask_min)).toBeLessThanOrEqual(
        0.5 * 10 ** -input.score_precision + 1e-12,
      );
  });

  // CodeRL's four rewards (arXiv 2207.01780, section 3.2).
  test.each([
    [["pass", "compile", "fail"], 0, -1],
    [["pass", "runtime", "fail"], 1 / 3, -0.6],
    [["timeout", "pass"], 1 / 3, -0.6],
    [["skipped", "fail"], 2 / 3, -0.3],
    [["pass", "pass"], 1, 1],
    [["infra", "fail"], null, null],
    [["infra", "compile"], 0, -1],
  ])("%j came as far as %d: CodeRL's %d", (statuses, came, reward) => {
    const { value } = testsScore(asSent(statuses), { score: "outcome" });
    expect(value).toBe(came);
    const rewarded = "if(came == 1, 1, if(came > 0.5, -0.3, if(came > 0, -0.6, -1)))";
    if (value !== null) expect(expressed(rewarded, { came: value })).toBe(reward);
  });

  test("several subtasks have their mean by weight", () => {
    const of = (group: string, status: TestResult["status"], weight: number) => ({ group, status, weight });
    const some = [of("a", "pass", 1), of("a", "fail", 1), of("b", "pass", 6)];
    expect(testsScore(some, { score: "subtask_min" })).toEqual(valued(6 / 8));
  });
});

describe("steps", () => {
  test.each(ofKind(process, "pure").filter(([, { input }]) => !input.p.includes(null)))(
    "%s",
    (_, { input, expected }) => {
      for (const reduce of ["min", "last", "prod", "mean", "softmin"] as const) {
        const value = reduceSteps(input.p, { reduce, temperature: input.temperature });
        if (expected.reductions[reduce] === null) expect(value, reduce).toBeNull();
        else expect(value, reduce).toBeCloseTo(expected.reductions[reduce], 12);
      }
      if (input.threshold === 0.5) expect(firstWrong(input.p)).toBe(expected.reductions.first_below);
    },
  );

  test("what nobody scored is left out, and nothing scored is no value", () => {
    expect(reduceSteps([null, 0.5, null, 0.25], { reduce: "mean" })).toBe(0.375);
    expect(reduceSteps([null], { reduce: "min" })).toBeNull();
  });
});

describe("logprob", () => {
  test.each(ofKind(labelfree, "rlpr"))("%s", (_, { input, expected }) => {
    const value = meanProbability(input.answer_logprobs);
    if (expected.score_b === null) return expect(value).toBeNull();
    expect(value).toBeCloseTo(expected.score_b, 12);
    expect(Math.max(0, (value as number) - input.score_a)).toBeCloseTo(expected.debiased, 12);
    return expect(sequenceLikelihood(input.answer_logprobs)).toBeCloseTo(expected.product, 12);
  });

  test.each(ofKind(labelfree, "verifree").filter(([, { input }]) => !input.no_end_of_text))("%s", (_, one) => {
    const value = sequenceLikelihood(one.input.answer_logprobs);
    if (one.expected.logp === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(one.expected.p, 12);
  });
});

describe("consensus", () => {
  test.each(ofKind(labelfree, "ttrl"))("%s", (_, { input, expected }) => {
    const rewards = majorityRewards(input.answers);
    expect(rewards.map(({ value }) => value)).toEqual(expected.robust.rewards);
    const code = { ok: null, tie: "no_majority", no_answer: "no_answer" }[expected.robust.status as "ok"];
    expect(new Set(rewards.map((one) => one.code))).toEqual(new Set([code]));
  });

  test.each(ofKind(labelfree, "empo"))("%s", (_, { input, expected }) => {
    expect(clusterShares(input.answers)).toEqual(expected.rewards);
  });
});
