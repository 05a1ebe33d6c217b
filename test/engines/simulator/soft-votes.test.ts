// The simulator under soft votes, over HTTP: where it answers at once its probabilities are those with which
// it chooses, for every preset whose label is one token.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { letterProbabilities } from "../../../gpu-backend/engines/simulator/noise.ts";
import { noiseParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import { type RunningSimulator, startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { PRESETS, promptOf, TEMPLATES } from "../../../lab/templates/index.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { anchorFor, softPrompts } from "../../../src/core/judges/anchors.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { setUp } from "../../api/routes/harness.ts";

const clock = systemClock;
const direct = { thinking_median_tokens: 0, parse_rate: 1, position_bias: 0 };
const noise = { ...noiseParameters("sim-7b"), ...direct };

let engine: RunningSimulator;
beforeAll(async () => {
  engine = await startSimulator({ model: "sim-7b", scale: "instant", seed: 5, noise: direct });
});
afterAll(() => engine.close());

async function judged(preset: string, rates: readonly number[], more: Record<string, unknown> = {}) {
  const verifier = createOpenAiVerifier({ url: engine.url, model: "sim-7b", apiKey: null, simulated: true }, clock);
  const shape = PRESETS[preset]?.shape ?? "list";
  const judge = { preset, vote: "soft", reask: 0, max_tokens: 32, ...more };
  const alone = shape !== "pair" && shape !== "list";
  const q = alone ? { kind: "grade", judge } : { kind: "tournament", score: "soft", judge };
  const groups = [
    {
      prompt: "Which?",
      reference: "right",
      rollouts: rates.map((rate, i) => ({ text: `Answer ${i}\n# pass_rate=${rate}`, pass_rate: rate })),
    },
  ];
  const spec = { candidate: { extract: "whole" }, signals: { q } };
  const response = await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups });
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  expect(reply.metrics.parse_rate).toBe(1);
  return { rewards: reply.rewards[0] as number[], alone };
}

const SOFT = [...softPrompts(), ...Object.keys(TEMPLATES).filter((name) => anchorFor(promptOf(name), 2) !== null)];
/** Those that mark in several tokens are sure of what they write. */
const MARKS = ["lav", "selene", "prometheus"];

describe("a soft vote of a verifier that answers at once", () => {
  test.each(SOFT.filter((name) => !MARKS.includes(name)))(
    "of %s is the probability with which it chooses",
    async (name) => {
      const { rewards, alone } = await judged(name, [0.9, 0.4]);
      const expected = alone
        ? [0.9, 0.4].map((rate) => letterProbabilities([rate, 1 - rate], noise)[0])
        : letterProbabilities([0.9, 0.4], noise);
      rewards.forEach((reward, i) => {
        expect(reward).toBeCloseTo(expected[i] as number, 5);
      });
    },
  );

  test.each(MARKS)("of %s is what it writes", async (name) => {
    const { rewards } = await judged(name, [1, 0]);
    expect(rewards.every((one) => one >= 0 && one <= 1)).toBe(true);
  });

  test("may be cut behind the label that the answer is", async () => {
    const { rewards } = await judged("letter-select", [0.9, 0.4], { max_tokens: 2 });
    expect(rewards[0]).toBeCloseTo(letterProbabilities([0.9, 0.4], noise)[0] as number, 5);
  });
});
