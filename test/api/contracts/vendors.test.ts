// NeMo-Gym's compare and cohorts, and RULER's judge: their exact bodies, rewards
// as /v1/rewards gives them, and failures as each tool takes them.

import { expect, test } from "vitest";
import { CompareReplySchema } from "../../../src/api/tools/nemo-gym-compare.ts";
import { ChatReplySchema } from "../../../src/api/tools/shared/chat-replies.ts";
import { rulerPrompt } from "../../../src/api/tools/shared/ruler-prompt.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { fixedRooms, gathered } from "./sample-setup.ts";
import { failingOn, faultOf, fenced, PROGRAMS, replyOf, setUp } from "./setup.ts";

const responded = (text: string, more: object = {}) => ({
  id: "resp",
  created_at: 0,
  model: "policy",
  object: "response",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
  ...more,
});
const history = [{ role: "user", content: "Sum it." }];
const compared = (texts: readonly string[], more: object = {}) => ({
  ...{ conversation_history: history, response_objs: texts.map((text) => responded(text)) },
  ...more,
});

async function nativeRewards(spec: unknown = "default") {
  const groups = [{ prompt: history, rollouts: PROGRAMS.map((text) => ({ text })) }];
  const reply = await setUp().post("/v1/rewards", { spec, groups });
  return ((await reply.json()) as { rewards: number[][] }).rewards[0];
}

test("compare gives each response the spec's reward, in their order, and lists who won each comparison", async () => {
  const reply = await replyOf(CompareReplySchema, await setUp().post("/nemo-gym/compare", compared(PROGRAMS)));
  expect(reply.rewards).toEqual(await nativeRewards());
  expect(reply.comparison_results).toHaveLength(3);
  for (const { response_i, response_j, winner, score_1 } of reply.comparison_results) {
    const [a, b] = [PROGRAMS[response_i] as string, PROGRAMS[response_j] as string];
    expect(winner).toBe(a.length > b.length ? "response_i" : "response_j");
    expect(score_1).toBeNull();
  }
  expect(reply.metrics).toEqual({ parse_rate: 1 });
});

test("compare gives a declared number where a response has no reward: no neutral 3.0", async () => {
  const part = setUp({ script: failingOn((candidate) => candidate === "12", "verifier_unavailable") });
  const declared = await part.post("/nemo-gym/compare?on_failure=-1", compared(PROGRAMS));
  expect((await replyOf(CompareReplySchema, declared)).rewards[2]).toBe(-1);
});

test("compare hands a principle to a judge that has a place for it, and refuses it beside one that has none", async () => {
  const principled = SpecSchema.parse({
    candidate: { extract: "whole" },
    judge: { preset: "rewardanything", mode: "listwise", schedule: "single_list" },
    format: { rules: [], penalty: 0 },
  });
  const { post, verifier } = setUp({ specs: fakeSpecStore({ principled }) });
  const body = compared(PROGRAMS, { principle: "Prefer the shorter." });
  await post("/nemo-gym/compare?spec=principled", body);
  expect([...new Set(verifier.jobs.map(({ slots }) => slots?.principle))]).toEqual(["Prefer the shorter."]);
  const fault = await faultOf(await post("/nemo-gym/compare", body), 400);
  expect(fault.errors).toEqual([{ path: "principle", message: expect.stringContaining("rewardanything") }]);
});

test("compare counts the policy's tokens where every response says them", async () => {
  const specs = fakeSpecStore({
    long: ofFlat({ ...DEFAULT_SPEC, overlong: { max_tokens: 100, cache_tokens: 50, clamp: true } }),
  });
  const { post } = setUp({ specs });
  const at = "/nemo-gym/compare?spec=long";
  const usage = { usage: { output_tokens: 100 } };
  const told = PROGRAMS.map((text) => responded(text, usage));
  const reply = await replyOf(
    CompareReplySchema,
    await post(at, { conversation_history: history, response_objs: told }),
  );
  expect(reply.rewards).toEqual((await nativeRewards())?.map((reward) => reward - 1));
  expect((await faultOf(await post(at, compared(PROGRAMS)), 400)).code).toBe("length_tokens_required");
});

const verify = (text: string, more: object) => ({
  ...{ responses_create_params: { input: "Sum it." }, response: responded(text) },
  ...more,
});

test("rollouts of one cohort id and one attempt are one group, whatever else is equal", async () => {
  const { rooms, joined } = fixedRooms(gathered());
  const { post } = setUp({ rooms });
  const send = (more: object) => post("/nemo-gym/verify?group_size=2", verify(fenced("1"), more));
  await send({});
  await send({ _ng_group_id: "g1", _ng_group_attempt: 0, _ng_rollout_index: 0 });
  await send({ _ng_group_id: "g1", _ng_group_attempt: 0, _ng_rollout_index: 1 });
  await send({ _ng_group_id: "g1", _ng_group_attempt: 1, _ng_rollout_index: 0 });
  await send({ _ng_group_id: "g2", _ng_group_attempt: 0, _ng_rollout_index: 0 });
  const rooms_of = joined.map(({ room }) => room);
  expect(rooms_of[1]).toBe(rooms_of[2]);
  expect(new Set(rooms_of).size).toBe(4);
  // Equal texts of two rollouts are two members, and not one and its retry.
  expect(joined[1]?.body_hash).not.toBe(joined[2]?.body_hash);
});

const block = (id: string, turns: unknown) => `<trajectory id="${id}">\n${JSON.stringify(turns)}\n</trajectory>`;
const asks = (...blocks: string[]) => ({
  model: "openai/any",
  messages: [
    { role: "system", content: "Score.\n\nGrading standards:\n- Shorter is better.\n" },
    {
      role: "user",
      content: `<context>\n${JSON.stringify(history)}\n</context>\n\nTrajectories:\n\n${blocks.join("\n\n")}`,
    },
  ],
});
const answers = (texts: readonly string[]) =>
  texts.map((content, i) => block(`${i + 1}`, [{ role: "assistant", content }]));

test("RULER gets its JSON with one score a trajectory, in their order: the share of comparisons won", async () => {
  const reply = await replyOf(
    ChatReplySchema,
    await setUp().post("/ruler/v1/chat/completions", asks(...answers(PROGRAMS))),
  );
  const { scores } = JSON.parse(reply.choices[0].message.content);
  expect(scores).toEqual([
    { trajectory_id: "1", explanation: "won 0, lost 2 and tied 0 of 2 comparisons", score: 0 },
    { trajectory_id: "2", explanation: "won 2, lost 0 and tied 0 of 2 comparisons", score: 1 },
    { trajectory_id: "3", explanation: "won 1, lost 1 and tied 0 of 2 comparisons", score: 0.5 },
  ]);
});

test("RULER's rubric reaches a judge that has a place for it", async () => {
  const judge = { preset: "rewardanything", mode: "listwise", schedule: "single_list" };
  const spec = SpecSchema.parse({
    candidate: { extract: "whole" },
    signals: {
      quality: { kind: "tournament", judge: { preset: judge.preset, mode: judge.mode }, schedule: judge.schedule },
    },
  });
  const { post, verifier } = setUp({ specs: fakeSpecStore({ principled: spec }) });
  await post("/ruler/v1/chat/completions?spec=principled", asks(...answers(PROGRAMS)));
  expect([...new Set(verifier.jobs.map(({ slots }) => slots?.principle))]).toEqual(["- Shorter is better."]);
  // Not cut: half of the standards would be another judge.
  const { messages, ...rest } = asks(...answers(PROGRAMS));
  const system = { role: "system", content: `Grading standards:\n${"x".repeat(LIMITS.slot_chars + 1)}` };
  const long = { ...rest, messages: [system, ...messages.slice(1)] };
  const fault = await faultOf(await post("/ruler/v1/chat/completions?spec=principled", long), 400);
  expect(fault.error).toMatchObject({ param: "messages", message: expect.stringContaining("slot_chars") });
  expect((await post("/ruler/v1/chat/completions", long)).status).toBe(200);
});

test("a trajectory of several turns keeps its roles, and one without a context ends in its answer", () => {
  const turns = [
    { role: "assistant", content: null, tool_calls: [] },
    { role: "tool", content: "6" },
    { role: "assistant", content: "It is 6." },
  ];
  const several = rulerPrompt(asks(block("a", turns), ...answers(["x"])).messages);
  expect(several.ids).toEqual(["a", "1"]);
  expect(several.group.rollouts[0]).toMatchObject({ text: "It is 6.", messages: turns });
  const whole = [...history, { role: "assistant", content: "6" }];
  const [one] = [rulerPrompt([{ role: "user", content: `Trajectories:\n\n${block("1", whole)}` }])];
  expect(one.group).toEqual({ prompt: history, rollouts: [{ text: "6" }] });
  expect(one.rubric).toBeNull();
});

test.each([
  ["no trajectory", { role: "user", content: "Score them." }, "has no <trajectory"],
  ["a trajectory that is no JSON", { role: "user", content: '<trajectory id="1">\n[\n</trajectory>' }, "is not JSON"],
  [
    "a trajectory that is no list",
    { role: "user", content: '<trajectory id="1">\n7\n</trajectory>' },
    "not a list of messages",
  ],
  [
    "more trajectories than a group holds",
    { role: "user", content: answers(Array(LIMITS.rollouts_per_group_max + 1).fill("x")).join("\n") },
    "rollouts_per_group_max is 64",
  ],
])("%s is refused by the field, in OpenAI's words", async (_, message, words) => {
  const fault = await faultOf(await setUp().post("/ruler/v1/chat/completions", { messages: [message] }), 400);
  expect(fault.error).toMatchObject({ param: "messages", message: expect.stringContaining(words) });
});
