// Holds that `decide-grade` asks a score per answer, that its value is the expected level of the reply's
// probabilities and of nothing else, and that a failure of one answer's question is null for that answer.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DecisionSimulator, startDecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import { DECISION_API_NAMES, type DecisionApiName } from "../../src/core/wire/decision-apis.ts";
import fc from "../harness/property.ts";
import { answers, appOver, forget, type Judged, strengthOf } from "./decision-setup.ts";

let model: DecisionSimulator;
beforeAll(async () => {
  model = await startDecisionSimulator(strengthOf, "jev-1.13.0");
});
afterAll(() => model.close());
afterEach(() => forget(model));

const specOf = (more: object = {}) => ({
  candidate: { extract: "whole" },
  signals: { grade: { kind: "grade", judge: { preset: "decide-grade" }, ...more } },
  reward: "grade",
});
async function graded(numbers: readonly number[], api?: DecisionApiName, more?: object): Promise<Judged> {
  const body = { spec: specOf(more), deadline_ms: 60_000, groups: [{ prompt: "p", rollouts: answers(numbers) }] };
  const reply = await appOver(model, api).post("/v1/rewards", body);
  expect(reply.status, await reply.clone().text()).toBe(200);
  return (await reply.json()) as Judged;
}

/** Sets the answer about the only rollout, which is answer A. */
const answering = (answer: unknown) => {
  model.faults.spoils = (sent) => ({ ...sent, answers: { ...(sent.answers as object), A: answer } });
};

describe.each(DECISION_API_NAMES)("by the API %s", (api) => {
  it("a group is one call, and each value the expected level between 0 and 1", async () => {
    const numbers = [0, 3, 8, 20];
    const { rewards } = await graded(numbers, api);
    expect(model.questions).toEqual([5]);
    // The simulator's levels are binomial, so that their mean is the logistic of the strength.
    numbers.forEach((number, i) => {
      expect(rewards[0]?.[i]).toBeCloseTo(1 / (1 + Math.exp(-number / 4)), 9);
    });
  });

  it("a refused question is null for its answer alone", async () => {
    model.faults.refuses = (question) => /answer B/.test(question);
    const { groups } = await graded([1, 2, 3], api, { unreadable: "null" });
    const failed = groups[0]?.rollouts.filter(({ reward }) => reward === null) ?? [];
    const code = api === "openai" ? "content_filtered" : "verifier_bad_reply";
    expect(failed.map(({ error }) => error)).toEqual([code]);
  });
});

it("an answer whose question is refused while others are answered loses, unless the spec says null", async () => {
  model.faults.refuses = (question) => /answer B/.test(question);
  const { groups } = await graded([1, 2, 3], "openai");
  const lost = groups[0]?.rollouts.filter(({ reward }) => reward === 0) ?? [];
  expect(lost).toMatchObject([{ error: null, details: { grade: { unreadable: "content_filtered" } } }]);
});

it("reads the probabilities, never the score that the reply states", async () => {
  const property = fc.asyncProperty(
    fc
      .array(fc.integer({ min: 0, max: 1_000 }), { minLength: 5, maxLength: 5 })
      .filter((all) => all.some((n) => n > 0)),
    fc.double(),
    async (weights, score) => {
      const sum = weights.reduce((total, weight) => total + weight, 0);
      const probabilities = Object.fromEntries(weights.map((weight, level) => [`${level}`, weight / sum]));
      answering({ type: "score", score, legend: {}, probabilities });
      const [[reward]] = (await graded([1])).rewards as [[number]];
      expect(reward).toBeGreaterThanOrEqual(0);
      expect(reward).toBeLessThanOrEqual(1);
      const expected = weights.reduce((total, weight, level) => total + (weight / sum) * (level / 4), 0);
      expect(reward).toBeCloseTo(expected, 9);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

it("levels that the spec names as passing count as 1 and the others as 0", async () => {
  answering({ probabilities: { 0: 0.125, 1: 0.125, 2: 0.25, 3: 0.25, 4: 0.25 } });
  const { rewards } = await graded([1], "systemone", { passing_labels: ["3", "4"] });
  expect(rewards[0]?.[0]).toBeCloseTo(0.5, 12);
});

it.each([
  ["no probabilities but a score", { type: "score", score: 3 }],
  ["a missing level", { probabilities: { 0: 0.5, 1: 0.25, 2: 0.25, 3: 0 } }],
  ["a level too many", { probabilities: { 0: 0.5, 1: 0.25, 2: 0.25, 3: 0, 4: 0, 5: 0 } }],
  ["levels by their words", { probabilities: { bad: 0.5, poor: 0.25, fair: 0.25, good: 0, best: 0 } }],
  ["a value that is not finite", { probabilities: { 0: null, 1: 0.5, 2: 0.5, 3: 0, 4: 0 } }],
  ["a value that is text", { probabilities: { 0: "1", 1: 0, 2: 0, 3: 0, 4: 0 } }],
  ["a value above one", { probabilities: { 0: 1.5, 1: -0.5, 2: 0, 3: 0, 4: 0 } }],
  ["only zeros", { probabilities: { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0 } }],
  ["a sum that no rounding explains", { probabilities: { 0: 0.2512, 1: 0.25, 2: 0.25, 3: 0, 4: 0 } }],
  ["no answer", undefined],
])("%s is null with a code, never a number", async (_, answer) => {
  answering(answer);
  const { groups } = await graded([1]);
  expect(groups[0]?.rollouts.map(({ reward, error }) => [reward, error])).toEqual([[null, "verifier_bad_reply"]]);
});

it("labels that together have less than half of the probability are no verdict", async () => {
  model.faults.spoils = (sent) => ({ ...sent, diagnostics: { A: { label_mass: 0.2 } } });
  const { groups } = await graded([1]);
  expect(groups[0]?.rollouts.map(({ reward, error }) => [reward, error])).toEqual([[null, "unparsed"]]);
});

it("a state that was not read to its end is null for all its answers", async () => {
  model.faults.reads = 0.5;
  const { groups } = await graded([1, 2, 3]);
  for (const { reward, error } of groups[0]?.rollouts ?? []) expect([reward, error]).toEqual([null, "judge_read_less"]);
});
