// A judge's preset that is one entry of its table: named by a spec, asked over HTTP in
// its own words, read by its own parser, part of the spec's hash, and played by the simulator.

import { expect, test, vi } from "vitest";
import { startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";

vi.mock("../../src/core/judges/presets/built-in.ts", async (original) => {
  const built = await original<typeof import("../../src/core/judges/presets/built-in.ts")>();
  const { toyPreset } = await import("./toy-preset.ts");
  return { ...built, BUILT_IN: { ...built.BUILT_IN, toy: toyPreset } };
});

const rollouts = ["cold", "mild", "hot"].map((text) => ({ text }));
const groups = [{ prompt: "How is it?", rollouts }];
const warmest = (shown: string) => ["cold", "mild", "hot"].findLastIndex((word) => shown.includes(word));

test("is asked in its own words and read by its own parser", async () => {
  const asked: string[] = [];
  const engine = await startMockVerifier((request) => {
    const text = (request.body as { messages: { content: string }[] }).messages[0]?.content ?? "";
    asked.push(text);
    const [a = "", b = ""] = [...text.matchAll(/<([AB])>\n(.*)\n<\/\1>/g)].map((match) => match[2] as string);
    return answer(`Feeling them both. [[${warmest(a) > warmest(b) ? "A" : "B"}]]`);
  });
  try {
    const clock = systemClock;
    const verifier = createOpenAiVerifier({ url: engine.url, model: "m", apiKey: null }, clock);
    const spec = { candidate: { extract: "whole" }, judge: { preset: "toy" }, format: { rules: [] } };
    const reply = (await (
      await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups })
    ).json()) as RewardsReply;
    expect(reply.rewards).toEqual([[0, 0.5, 1]]);
    expect(asked).toHaveLength(3);
    for (const text of asked) expect(text).toMatch(/^How is it\?\n\n<A>\n\w+\n<\/A>\s+<B>\n\w+\n<\/B>\n\nEnd with/);
    const other = await setUp({ verifier, clock }).post("/v1/specs/check", {
      ...spec,
      judge: { preset: "mtbench-ab" },
    });
    expect((await other.json()) as { spec_hash: string }).not.toMatchObject({ spec_hash: reply.spec_hash });
  } finally {
    await engine.close();
  }
});

test("is played by the simulator, which nobody told of it", async () => {
  const noise = { parse_rate: 1, loop_rate: 0, lapse_rate: 0, discrimination: 1_000, thinking_median_tokens: 8 };
  const rates = { cold: 0, mild: 0.5, hot: 1 };
  const simulator = await startSimulator({ scale: "instant", noise, rates });
  try {
    const clock = systemClock;
    const verifier = createOpenAiVerifier({ url: simulator.url, model: "sim-14b", apiKey: null }, clock);
    const spec = { candidate: { extract: "whole" }, judge: { preset: "toy" }, format: { rules: [] } };
    const reply = (await (
      await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups })
    ).json()) as RewardsReply;
    expect(reply.rewards).toEqual([[0, 0.5, 1]]);
    expect(reply.metrics.parse_rate).toBe(1);
  } finally {
    await simulator.close();
  }
});

test("a preset that no line names is refused, with those that there are", async () => {
  const problem = await problemOf(await setUp().post("/v1/rewards", { spec: { judge: { preset: "toys" } }, groups }));
  expect(problem).toMatchObject({ status: 400, code: "unknown_prompt" });
  expect(problem.detail).toMatch(/mtbench-ab, .*toy/);
});
