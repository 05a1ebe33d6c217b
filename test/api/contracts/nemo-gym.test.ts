// NeMo-Gym's rollouts: what its rows and responses become, and what its reply holds.
import { describe, expect, test } from "vitest";
import { VerifyReplySchema } from "../../../src/api/tools/nemo-gym.ts";
import * as examples from "./examples.ts";
import { fixedRooms, gathered, without } from "./sample-setup.ts";
import { faultOf, replyOf, setUp } from "./setup.ts";
import { sampleOf } from "./trainers-setup.ts";

describe("NeMo-Gym", () => {
  const PATH = "/nemo-gym/verify";
  const text = (value: string) => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: value }],
  });
  const thought = (value: string) => ({ type: "reasoning", summary: [{ type: "summary_text", text: value }] });
  const call = { type: "function_call", name: "run", arguments: "{}", call_id: "c" };
  const body = (output: object[], more: object = {}) => ({
    responses_create_params: { input: "p" },
    response: { ...examples.nemoGym.response, usage: null, output, ...more },
  });

  test.each<[string, object[], string]>([
    ["a message", [text("a")], "a"],
    ["a thought before it, between tags", [thought("hm"), text("a")], "<think>\nhm\n</think>\na"],
    ["a thought that was cut, left open", [thought("hm")], "<think>\nhm"],
    ["nothing", [], ""],
  ])("judges the last answer: %s", async (_, output, expected) => {
    expect((await sampleOf(PATH, body(output))).rollout.text).toBe(expected);
  });

  test.each<[string, object[], string]>([
    ["several turns", [thought("1"), text("a"), thought("2"), text("b")], "b"],
    ["a message that a thought follows", [text("a"), thought("1")], "a"],
    ["a call", [text("a"), call], "a"],
    ["another's turn", [text("a"), { ...text("u"), role: "user" }], "a"],
  ])("hands an output of more than one answer on whole: %s", async (_, output, answer) => {
    expect((await sampleOf(PATH, body(output))).rollout).toMatchObject({ text: answer, messages: output });
  });

  test("sends texts and chats with instructions and outputs of calls as prompt", async () => {
    const input = [
      { role: "user", content: [{ type: "input_text", text: "p" }] },
      thought("1"),
      { type: "function_call_output", call_id: "c", output: "42" },
    ];
    const params = { instructions: "Be brief.", input };
    const { prompt } = await sampleOf(PATH, { ...body([text("a")]), responses_create_params: params });
    expect(prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "p" },
      { role: "tool", content: "42" },
    ]);
    expect((await sampleOf(PATH, body([text("a")]))).prompt).toBe("p");
  });

  test("tells lengths by usage, and a cut by incomplete_details", async () => {
    const more = { usage: { output_tokens: 9 }, incomplete_details: { reason: "max_output_tokens" } };
    const { rollout } = await sampleOf(PATH, body([text("a")], more));
    expect(rollout).toEqual({ text: "a", finish_reason: "length", length_tokens: 9 });
  });

  test("gets its whole request back, with components that add up to the reward", async () => {
    const sent = { ...examples.nemoGym, _ng_task_index: 3, nested: { a: [1] }, reward: 77 };
    const reply = await replyOf(VerifyReplySchema, await setUp(fixedRooms(gathered())).post(PATH, sent));
    expect(reply).toMatchObject({ ...sent, reward: 0.5 });
    const { base, format, overlong } = reply.reward_components as Record<"base" | "format" | "overlong", number>;
    expect(base + format + overlong).toBe(reply.reward);
    expect(reply).not.toHaveProperty("_ng_failure_class");
  });

  test("gets a judge's failure as an error, and with on_failure=flag in the gym's own words, with reward 0", async () => {
    const failing = setUp(fixedRooms(without("deadline")));
    expect((await failing.post(PATH, examples.nemoGym)).status).toBe(504);
    const reply = await replyOf(
      VerifyReplySchema,
      await failing.post(PATH, examples.nemoGym, { "kritai-on-failure": "flag" }),
    );
    expect(reply).toMatchObject({
      reward: 0,
      reward_components: { base: 0, format: 0, overlong: 0 },
      rm_fallback: 1,
      _ng_failure_class: "judge_failed",
      _ng_failure_judge_error: expect.stringContaining("deadline: "),
      mask_sample: true,
      instance_config: { mask_sample: true },
      failure_kind: "judge_failed",
    });
    const held = { ...examples.nemoGym, instance_config: { dataset: "d", mask_sample: false } };
    const flagged = await failing.post(`${PATH}?on_failure=flag`, held);
    expect(await flagged.json()).toMatchObject({ instance_config: { dataset: "d", mask_sample: true } });
    const declared = await failing.post(`${PATH}?on_failure=0`, held);
    expect(await declared.json()).toMatchObject({ instance_config: { dataset: "d", mask_sample: false } });
    const plain = await failing.post(`${PATH}?on_failure=0`, examples.nemoGym);
    for (const name of ["_ng_failure_class", "mask_sample", "instance_config"])
      expect(await plain.clone().json()).not.toHaveProperty(name);
  });

  test("finds the small routes of a resources server, with a rollout's id before them too", async () => {
    const { post, call: get } = setUp();
    for (const at of ["/nemo-gym", "/nemo-gym/ng-rollout/r-1"]) {
      expect(await (await post(`${at}/seed_session`, { question: "p" })).json()).toEqual({});
      const session = { resources_session_id: "s", episode_id: "e" };
      expect(await (await post(`${at}/close_session`, session)).json()).toEqual({ resources_session_id: "s" });
      expect(await (await get(`${at}/reverify_mode`)).json()).toBe("unsupported");
      expect((await post(`${at}/verify?group_window_ms=0&on_failure=0`, examples.nemoGym)).status).toBe(200);
      expect((await faultOf(await post(`${at}/verify`, {}), 400)).error).toContain("responses_create_params");
    }
  });

  test("gets statistics of verified rows by task and over all, without rows whose judge failed", async () => {
    const row = (task: number, reward: number, more: object = {}) => ({
      ...{ _ng_task_index: task, _ng_rollout_index: 0, reward, ok: reward > 0 },
      ...{ response: { usage: { output_tokens: 10 * reward } }, name: "x" },
      ...more,
    });
    const rows = [
      row(7, 1),
      row(7, 0),
      row(2, 0.5),
      row(2, 0, { mask_sample: true }),
      row(2, 0, { instance_config: { mask_sample: true } }),
      row(2, 0.5, { mask_sample: false, instance_config: { mask_sample: false } }),
      row(2, 0, { _ng_failure_class: "judge_failed" }),
    ];
    const reply = await setUp().post("/nemo-gym/aggregate_metrics", { verify_responses: rows });
    const { group_level_metrics: groups, agent_metrics, key_metrics } = (await reply.json()) as Record<string, never>;
    expect(groups).toMatchObject([
      { _ng_task_index: 2, "mean/reward": 0.5, "std/reward": 0 },
      { _ng_task_index: 7, "mean/reward": 0.5, "max/reward": 1, "min/reward": 0, "std/reward": Math.SQRT1_2 },
    ]);
    expect(agent_metrics).toMatchObject({
      "mean/reward": 0.5,
      "median/reward": 0.5,
      "mean/ok": 3 / 4,
      "mean/output_tokens": 5,
    });
    expect(key_metrics).toEqual({ "mean/reward": 0.5, "mean/ok": 3 / 4, "mean/output_tokens": 5 });
    const none = await setUp().post("/nemo-gym/aggregate_metrics", { verify_responses: [] });
    expect(await none.json()).toEqual({ group_level_metrics: [], agent_metrics: {}, key_metrics: {} });
  });
});
