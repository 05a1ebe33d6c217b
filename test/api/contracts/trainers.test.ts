// Defines what is particular to each one-sample contract: how its client writes a sample, and what it needs
// to find in the reply.

import { describe, expect, test } from "vitest";
import { EvaluateReplySchema } from "../../../src/api/tools/eval-protocol.ts";
import { OpenRlhfReplySchema } from "../../../src/api/tools/openrlhf.ts";
import { unitScore } from "../../../src/api/tools/shared/sample-score.ts";
import { DEFAULT_SPEC, type FlatSpec } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { Spec } from "../../../src/core/reward/spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import * as examples from "./examples.ts";
import { fixedRooms, gathered, without } from "./sample-setup.ts";
import { failingOn, faultOf, fenced, PROGRAMS, replyOf, setUp } from "./setup.ts";
import { sampleOf } from "./trainers-setup.ts";

const chatml = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;

const refusal = async (path: string, body: object) => (await faultOf(await setUp().post(path, body), 400)).errors?.[0];

describe("OpenRLHF", () => {
  const PATH = "/openrlhf/get_reward";
  const asked = (query: string, prompts?: string) => ({ query: [query], ...(prompts && { prompts: [prompts] }) });

  test.each<[string, object, string, string]>([
    ["the prompt taken off", asked(`${chatml("p")}a<|im_end|>`, chatml("p")), "user\np", "a"],
    ["a decoder's own first token", asked("<s>[INST] p [/INST]a</s>", "[INST] p [/INST]"), "p", "a"],
    ["no template: texts as they are", asked("Sum <s> it. a <b>", "Sum <s> it."), "Sum <s> it.", " a <b>"],
    [
      "a prefilled thought",
      asked(`${chatml("p")}<think>\nhm</think>a`, `${chatml("p")}<think>\n`),
      "user\np",
      "hm</think>a",
    ],
    ["no prompts: split at the template", asked(`${chatml("p")}a<|endoftext|>`), "user\np", "a"],
    ["a prompt that decodes otherwise", asked(`${chatml("p  q")}a`, chatml("p q")), "user\np q", "a"],
  ])("sends prompt and answer as one text: %s", async (_, body, prompt, text) => {
    expect(await sampleOf(PATH, body)).toEqual({ prompt, rollout: { text }, language: null });
  });

  test("gets lists of the length of its own, and a URL that is not its first gets empty ones", async () => {
    const reply = await replyOf(OpenRlhfReplySchema, await setUp(fixedRooms(gathered())).post(PATH, examples.openRlhf));
    expect(reply).toMatchObject({ rewards: [0.5], scores: [0.75], extra_logs: { rm_fallback: [0], rm_members: [3] } });
    const { rooms, joined } = fixedRooms(gathered());
    const empty = await setUp({ rooms }).post(PATH, { query: [], prompts: [], labels: [] });
    expect(await empty.json()).toEqual({ rewards: [], scores: [], extra_logs: {} });
    expect(joined).toEqual([]);
  });

  const batch = {
    query: ["p", "q", "p", "q", "p"].map((prompt, i) => `${chatml(prompt)}${fenced("x".repeat(i + 1))}<|im_end|>`),
    prompts: ["p", "q", "p", "q", "p"].map(chatml),
  };

  test("of before 2026 sends whole batches: groups of equal prompts, judged at once, in order", async () => {
    const { post, runLog } = setUp();
    const reply = await replyOf(OpenRlhfReplySchema, await post(`${PATH}?run_id=r`, batch));
    expect(reply.rewards).toEqual([0, 0, 0.5, 1, 1]);
    expect((reply.extra_logs as Record<string, number[]>).rm_members).toEqual([3, 2, 3, 2, 3]);
    expect(runLog.entries.map(({ run_id, groups }) => [run_id, groups.length])).toEqual([["r", 2]]);
  });

  test("with group_size meets the samples of other requests also from a batch", async () => {
    const { post, runLog } = setUp();
    const url = `${PATH}?group_size=4`;
    const rest = { query: [`${chatml("p")}${fenced("y".repeat(9))}`], prompts: [chatml("p")] };
    const qs = {
      query: ["z", "zz"].map((text) => `${chatml("q")}${fenced(text)}`),
      prompts: [chatml("q"), chatml("q")],
    };
    const [many, one, two] = await Promise.all([post(url, batch), post(url, rest), post(url, qs)]);
    expect((await replyOf(OpenRlhfReplySchema, many)).rewards).toHaveLength(5);
    expect((await replyOf(OpenRlhfReplySchema, one)).rewards).toEqual([1]);
    expect((await replyOf(OpenRlhfReplySchema, two)).rewards).toHaveLength(2);
    expect(runLog.entries.map(({ items }) => items)).toEqual([4, 4]);
  });

  test("gets no reply at all for a batch of which one sample failed, unless a number is declared", async () => {
    const fails = { script: failingOn((text) => text === "xx", "verifier_unavailable") };
    expect((await faultOf(await setUp(fails).post(PATH, batch), 503)).code).toBe("verifier_unavailable");
    const reply = await replyOf(OpenRlhfReplySchema, await setUp(fails).post(`${PATH}?on_failure=-1`, batch));
    expect(reply.rewards).toEqual([0, -1, 0.5, -1, 1]);
    expect((reply.extra_logs as Record<string, number[]>).rm_fallback).toEqual([0, 1, 0, 1, 0]);
  });

  test.each<[string, object, string]>([
    ["no query", { prompts: ["p"] }, "query"],
    ["lists of unequal length", { query: ["p a", "p b"], prompts: ["p"] }, "prompts"],
    ["a query that is no continuation", { query: ["other"], prompts: ["p"] }, "query[0]"],
    [
      "a prompt over its limit",
      asked("p".repeat(LIMITS.prompt_bytes + 1), "p".repeat(LIMITS.prompt_bytes + 1)),
      "prompts[0]",
    ],
    ["a query that is no text", { query: [1], prompts: ["p"] }, "query[0]"],
  ])("is refused by name: %s", async (_, body, path) => {
    expect((await refusal(PATH, body))?.path).toBe(path);
  });
});

describe("slime", () => {
  const PATH = "/slime/reward";

  test.each<[string, object, unknown, string]>([
    ["a text", { prompt: "p", response: "a", label: null }, "p", "a"],
    ["a rendered text", { prompt: chatml("p"), response: "a<|im_end|>", label: "1" }, "user\np", "a"],
    ["a chat", { prompt: [{ role: "user", content: "p" }], response: "a" }, [{ role: "user", content: "p" }], "a"],
  ])("sends the prompt as %s", async (_, body, prompt, text) => {
    expect(await sampleOf(PATH, body)).toMatchObject({ prompt, rollout: { text } });
  });

  test("gets a bare number, or with format=object one under a key of its choice", async () => {
    const { post } = setUp(fixedRooms(gathered()));
    expect(await (await post(PATH, examples.slime)).text()).toBe("0.5");
    expect(await (await post(`${PATH}?format=object`, examples.slime)).json()).toMatchObject({ score: 0.5 });
  });

  test("is told what on-policy distillation should do when it asks a reward model for log-probabilities", async () => {
    const fault = await refusal(PATH, {
      input_ids: [1, 2],
      sampling_params: { max_new_tokens: 0 },
      return_logprob: true,
    });
    expect(fault).toMatchObject({ path: "input_ids", message: expect.stringContaining("teacher's server") });
  });

  test("a body without a response is refused by name", async () => {
    expect((await refusal(PATH, { prompt: "p", label: "l" }))?.path).toBe("response");
  });
});

test("verl's group is logged under the step that verl logs, whichever weights wrote each sample", async () => {
  const { post, runLog } = setUp();
  const body = (i: number) => ({
    ...examples.verl,
    solution_str: PROGRAMS[i],
    extra_info: { question: "p", global_steps: 6 + i },
  });
  await Promise.all([0, 1].map((i) => post("/verl/compute_score?group_size=2", body(i))));
  expect(runLog.entries.map(({ step, items }) => [step, items])).toEqual([[8, 2]]);
});

test("verl needs the prompt in extra_info and is refused by name without it", async () => {
  const { extra_info: _, ...bare } = examples.verl;
  expect((await refusal("/verl/compute_score", { ...bare, extra_info: { index: 1 } }))?.path).toBe("extra_info");
  expect((await refusal("/verl/compute_score", bare))?.path).toBe("extra_info");
});

describe("eval-protocol", () => {
  const PATH = "/evaluate";
  const turn = (role: string, content: string) => ({ role, content });

  test("judges the last message by the assistant, in view of those before it", async () => {
    const messages = [turn("user", "p"), turn("assistant", "a"), turn("user", "q"), turn("assistant", "b")];
    expect(await sampleOf(PATH, { messages })).toMatchObject({ prompt: messages.slice(0, 3), rollout: { text: "b" } });
    expect((await refusal(PATH, { messages: [turn("assistant", "a"), turn("user", "")] }))?.path).toBe("messages");
    const trailing = await refusal(`${PATH}?group_size=1`, { messages: [...messages, turn("user", "t")] });
    expect(trailing?.path).toBe("messages[4]");
    const acted = [...messages, turn("tool", "t")];
    expect(await sampleOf(PATH, { messages: acted })).toMatchObject({ rollout: { messages: acted.slice(3) } });
  });

  test("gets a failure as an error, for the package looks at no is_score_valid; a flagged one in the same keys", async () => {
    const failing = setUp(fixedRooms(without("deadline")));
    expect((await faultOf(await failing.post(PATH, examples.evalProtocol), 504)).code).toBe("deadline");
    const failed = await replyOf(
      EvaluateReplySchema,
      await failing.post(`${PATH}?on_failure=flag`, examples.evalProtocol),
    );
    expect(failed).toMatchObject({ score: 0, is_score_valid: false, error: "deadline" });
    expect(failed.reason).toMatch(/^deadline: /);
    const fine = await replyOf(
      EvaluateReplySchema,
      await setUp(fixedRooms(gathered())).post(PATH, examples.evalProtocol),
    );
    expect(fine).toMatchObject({
      score: 0.75,
      is_score_valid: true,
      error: null,
      metrics: { win_share: { score: 0.75 } },
    });
    expect(Object.keys(failed)).toEqual(Object.keys(fine));
    for (const { metrics } of [failed, fine])
      for (const metric of Object.values(metrics)) expect(metric.reason).toBeTypeOf("string");
    expect(Object.keys(failed.metrics)).toEqual(Object.keys(fine.metrics));
  });
});

test("a score on 0..1 keeps the order of rewards, with the ends of the spec's range at 0 and 1", () => {
  const spec = (more: Partial<FlatSpec>): Spec => ofFlat({ ...DEFAULT_SPEC, ...more });
  const overlong = { max_tokens: 10, cache_tokens: 5, clamp: true };
  expect([-1, 0, 0.5, 1].map((reward) => unitScore(reward, spec({}), 4))).toEqual([0, 0.5, 0.75, 1]);
  expect([-1, 3].map((reward) => unitScore(reward, spec({ reward: "wins" }), 4))).toEqual([0, 1]);
  expect([-2, 1].map((reward) => unitScore(reward, spec({ overlong }), 4))).toEqual([0, 1]);
  expect([-9, 9].map((reward) => unitScore(reward, spec({ format: { rules: [], penalty: 0 } }), 4))).toEqual([0, 1]);
});
