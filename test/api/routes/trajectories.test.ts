// The example of agents' runs that /docs shows is one that the route takes.
import { expect, test } from "vitest";
import { rewardsRequest, runsRequest } from "../../../scripts/build/openapi/examples.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { setUp } from "./harness.ts";

test("the documented request with runs is judged by its calls, and says what was shown", async () => {
  const verifier = fakeVerifier(
    ([first = ""]) => `"turn A": 1, "turn B": 1. [[${first.includes("rm test") ? "B" : "A"}]]`,
  );
  const { post } = setUp({ verifier });
  const response = await post("/v1/rewards", runsRequest);
  expect(response.status).toBe(200);
  const { rewards, groups } = (await response.json()) as RewardsReply;
  expect(rewards).toEqual([[1, 0]]);
  expect(groups[0]?.rollouts.map(({ shown, details }) => [shown, details])).toEqual(
    [1, 1].map((one) => [one, { base: { turns: { 1: 1 } } }]),
  );
  expect((await post("/v1/rewards", { ...rewardsRequest, spec: {} })).status).toBe(200);
});

const call = (args: string, id = "c") => ({
  role: "assistant",
  tool_calls: [{ id, function: { name: "bash", arguments: args } }],
});
const spec = { candidate: { extract: "whole" }, judge: { prompt: "text-select" } };
const OTHER = { messages: [{ role: "assistant", content: "Other." }] };

const asked = async (messages: unknown, more: object = {}) => {
  const verifier = fakeVerifier(() => "\\boxed{A}");
  const groups = [{ prompt: "p", rollouts: [{ messages, ...more }, OTHER] }];
  const response = await setUp({ verifier }).post("/v1/rewards", { spec, groups });
  return { status: response.status, body: await response.json() };
};

test("of a run without a word of its own there is no candidate", async () => {
  const { status, body } = await asked([{ role: "tool", tool_call_id: "z", content: "a" }]);
  const [first] = (body as RewardsReply).groups[0]?.rollouts ?? [];
  expect([status, first?.reward]).toEqual([200, expect.anything()]);
  expect([first?.format_ok, first?.forfeits]).toEqual([false, 1]);
});

test.each([
  ["no message", [], {}, "groups[0].rollouts[0].messages"],
  ["messages beside a text", [call("ls")], { text: "t" }, "groups[0].rollouts[0].messages"],
  [
    "an image by its address",
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://h/a.png" } }] }],
    {},
    "groups[0].rollouts[0].messages[0].content[0]",
  ],
])("%s is refused by its field", async (_, messages, more, path) => {
  const { status, body } = await asked(messages, more);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(path);
});

test("own words beyond the limit cost their rollout's reward alone, however they are spread", async () => {
  const { status, body } = await asked([call("x".repeat(LIMITS.rollout_text_bytes)), call("y".repeat(9))]);
  const [first, second] = (body as RewardsReply).groups[0]?.rollouts ?? [];
  expect([status, first?.too_long, first?.format_ok, second?.format_ok]).toEqual([200, true, false, true]);
});
