// The guarantees of /v1/score_batch: order and length kept, groups rebuilt, constant keys, null or the
// declared number, never a boolean.

import { describe, expect, test } from "vitest";
import { ScoreBatchReplySchema } from "../../../src/api/routes/score-batch-reply.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import fc from "../../harness/property.ts";
import { problemOf } from "../routes/harness.ts";
import { failing, failingOn, fenced, PROGRAMS, replyOf, setUp } from "./setup.ts";

const PATH = "/v1/score_batch";
const chat = (content: string) => [{ role: "user", content }];
const answer = (content: string) => [{ role: "assistant", content, tool_calls: [] }];
const [worst, best, middle] = PROGRAMS as [string, string, string];

/** Two prompts of three and two completions, shuffled together. */
const mixed = {
  prompts: ["p", "q", "p", "q", "p"],
  completions: [worst, best, best, worst, middle],
};
const REWARDS = [0, 1, 1, 0, 0.5];

const rewardsOf = async (body: object, path = PATH) =>
  (await replyOf(ScoreBatchReplySchema, await setUp().post(path, body))).rewards;

describe("each tool's body", () => {
  test.each<[string, object]>([
    ["FAI-RL: columns under context", { ...mixed, context: { answer: ["1", "1", "1", "1", "1"] }, tenant: "x" }],
    [
      "TRL, plain: columns beside, a column that is not a list",
      { ...mixed, solution: ["1", "2", "1", "2", "1"], trainer_state: { global_step: 3 } },
    ],
    ["TRL, conversational", { prompts: mixed.prompts.map(chat), completions: mixed.completions.map(answer) }],
    [
      "ms-swift: completions and messages that end in them",
      {
        completions: mixed.completions,
        messages: mixed.prompts.map((p, i) => [...chat(p), ...answer(mixed.completions[i] as string)]),
        kwargs: { solution: ["1", "2", "1", "2", "1"] },
      },
    ],
    [
      "verl's batch manager: the question in extra_infos",
      {
        data_sources: ["d", "d", "d", "d", "d"],
        solution_strs: mixed.completions,
        ground_truths: ["1", "2", "1", "2", "1"],
        extra_infos: mixed.prompts.map((question, index) => ({ question, index })),
      },
    ],
    [
      "content in parts",
      { ...mixed, prompts: mixed.prompts.map((text) => [{ role: "user", content: [{ type: "text", text }] }]) },
    ],
  ])("%s: rewards in the order of the completions", async (_, body) => {
    expect(await rewardsOf(body)).toEqual(REWARDS);
  });

  test("of several turns the one that says something is judged; where more do, the last, and that is told", async () => {
    const turns = (text: string, first = "") => [...answer(first), ...answer(text), { role: "tool", content: null }];
    expect(await rewardsOf({ prompts: ["p", "p"], completions: [turns(worst), turns(best)] })).toEqual([0, 1]);
    const several = { prompts: ["p", "p"], completions: [turns(worst), turns(best, "thinking aloud")] };
    const reply = await setUp().post(PATH, several);
    expect(((await reply.json()) as { warnings: string[] }).warnings).toContain("only_the_answer_judged");
  });
});

describe("groups", () => {
  test("are those of equal prompt, equal label and equal language, whatever holds the columns", async () => {
    const of = async (more: object) => {
      const body = { prompts: ["p", "p", "p", "p"], completions: ["1", "22", "333", "4444"].map(fenced), ...more };
      return (await replyOf(ScoreBatchReplySchema, await setUp().post(PATH, body))).columns.group;
    };
    expect(await of({})).toEqual([0, 0, 0, 0]);
    expect(await of({ labels: ["a", "b", "a", "b"] })).toEqual([0, 1, 0, 1]);
    expect(await of({ context: { ground_truth: [{ x: 1, y: 2 }, 2, { y: 2, x: 1 }, 2] } })).toEqual([0, 1, 0, 1]);
    expect(await of({ columns: { language: ["python", "python", "rust", "rust"] } })).toEqual([0, 0, 1, 1]);
    expect(await of({ context: { difficulty: [1, 2, 3, 4] } })).toEqual([0, 0, 0, 0]);
  });

  test("that are too large or too many are refused by name, before anything is judged", async () => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const { post } = setUp({ verifier });
    const batch = (n: number, prompt: (i: number) => string) => ({
      prompts: Array.from({ length: n }, (_, i) => prompt(i)),
      completions: Array.from({ length: n }, (_, i) => fenced(`${i}`)),
    });
    const cases: [object, string][] = [
      [batch(65, () => "p"), "rollouts_per_group_max is 64"],
      [batch(257, (i) => `${i}`), "groups_max is 256"],
      [batch(2049, (i) => `${i % 40}`), "rollouts_per_request_max is 2048"],
    ];
    for (const [body, names] of cases) {
      const problem = await problemOf(await post(PATH, body));
      expect(problem.errors).toMatchObject([{ path: "completions", message: expect.stringContaining(names) }]);
    }
    expect(verifier.jobs).toEqual([]);
  });

  test("give the rewards that /v1/rewards gives for the same groups, in any mixture", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("p", "q", "r"), fc.integer({ min: 0, max: 9 })), {
          minLength: 1,
          maxLength: 24,
        }),
        async (items) => {
          const { post } = setUp();
          const prompts = items.map(([prompt]) => prompt);
          const completions = items.map(([, n]) => fenced("x".repeat(n)));
          const { rewards } = await replyOf(ScoreBatchReplySchema, await post(PATH, { prompts, completions }));
          const names = [...new Set(prompts)];
          const groups = names.map((prompt) => ({
            prompt,
            rollouts: completions.filter((_, i) => prompts[i] === prompt).map((text) => ({ text })),
          }));
          const native = (await (await post("/v1/rewards", { groups })).json()) as { rewards: (number | null)[][] };
          const queues = native.rewards.map((list) => [...list]);
          expect(rewards).toEqual(prompts.map((prompt) => queues[names.indexOf(prompt)]?.shift()));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("failures", () => {
  const fails = { script: failingOn((text) => text === "12", "verifier_unavailable") };

  test("are null with a code by default, and other groups keep their rewards", async () => {
    const reply = await replyOf(ScoreBatchReplySchema, await setUp(fails).post(PATH, mixed));
    expect(reply.rewards).toEqual([null, 1, null, 0, null]);
    expect(reply.columns.error).toEqual(["partial", null, "partial", null, "verifier_unavailable"]);
    expect(reply.columns.fallback).toEqual([0, 0, 0, 0, 0]);
    expect(reply.metrics).toMatchObject({ scored: 2, failed: 3, groups: 2 });
  });

  test("are the caller's number with a flag when the URL says so; metrics and log keep the truth", async () => {
    const { post, runLog } = setUp(fails);
    const reply = await replyOf(ScoreBatchReplySchema, await post(`${PATH}?on_failure=-0.5`, mixed));
    expect(reply.rewards).toEqual([-0.5, 1, -0.5, 0, -0.5]);
    expect(reply.columns.fallback).toEqual([1, 0, 1, 0, 1]);
    expect(reply.columns.error[4]).toBe("verifier_unavailable");
    expect(reply.metrics).toMatchObject({ failed: 3, reward_mean: 0.5 });
    expect(runLog.entries[0]?.groups[0]?.result.rollouts.map(({ reward }) => reward)).toEqual([null, null, null]);
  });

  test("keys are the same whatever happened, and a number's place never holds a boolean, a text or NaN", async () => {
    const keysOf = (reply: { metrics: object; columns: object }) => [
      Object.keys(reply.metrics),
      Object.keys(reply.columns),
    ];
    const worlds = [setUp(), setUp({ script: failing("verifier_overloaded") }), setUp({ script: () => "no choice" })];
    const replies = [];
    for (const { post } of worlds) {
      const reply = await replyOf(ScoreBatchReplySchema, await post(`${PATH}?on_failure=0`, mixed));
      for (const reward of reply.rewards) expect(Number.isFinite(reward)).toBe(true);
      for (const column of Object.values(reply.columns)) {
        expect(column).toHaveLength(5);
        for (const value of column as readonly unknown[]) expect(typeof value).not.toBe("boolean");
      }
      replies.push(reply);
    }
    expect(keysOf(replies[1] as never)).toEqual(keysOf(replies[0] as never));
    expect(keysOf(replies[2] as never)).toEqual(keysOf(replies[0] as never));
  });
});

describe("options", () => {
  test("response_field names the rewards a second time, from body or URL", async () => {
    for (const [path, more] of [
      [`${PATH}?response_field=scores`, {}],
      [PATH, { response_field: "scores" }],
    ] as const) {
      const reply = (await (await setUp().post(path, { ...mixed, ...more })).json()) as Record<string, unknown>;
      expect(reply).toMatchObject({ rewards: REWARDS, scores: REWARDS });
    }
    expect((await problemOf(await setUp().post(`${PATH}?response_field=metrics`, mixed))).errors?.[0]?.path).toBe(
      "response_field",
    );
  });

  test("run, step, deadline and spec come from the body, else from the URL", async () => {
    const specs = fakeSpecStore({ wins: ofFlat({ ...DEFAULT_SPEC, reward: "wins" }) });
    const { post, runLog } = setUp({ specs });
    const url = `${PATH}?spec=wins&run_id=u&step=1&deadline_ms=60000`;
    const fromUrl = await replyOf(ScoreBatchReplySchema, await post(url, mixed));
    expect(fromUrl).toMatchObject({ run_id: "u", step: 1, rewards: [0, 1, 2, 0, 1] });
    const body = { ...mixed, run_id: "b", step: 2, spec: { reward: "top1" } };
    expect(await replyOf(ScoreBatchReplySchema, await post(url, body))).toMatchObject({
      run_id: "b",
      step: 2,
      rewards: [0, 1, 1, 0, 0],
    });
    expect(runLog.entries.map(({ run_id }) => run_id)).toEqual(["u", "b"]);
  });

  test("lengths are length_tokens or the numbers of completion_ids, and shape the reward", async () => {
    const spec = { overlong: { max_tokens: 100, cache_tokens: 50 } };
    const lengths = [10, 10, 75, 10, 100];
    const ids = lengths.map((n) => Array.from({ length: n }, (_, i) => i));
    for (const more of [{ length_tokens: lengths }, { completion_ids: ids }, { kwargs: { response_token_ids: ids } }]) {
      expect(await rewardsOf({ ...mixed, spec, ...more })).toEqual([0, 1, 0.5, 0, -0.5]);
    }
    const problem = await problemOf(await setUp().post(PATH, { ...mixed, spec }));
    expect(problem).toMatchObject({ code: "length_tokens_required", errors: [{ path: "length_tokens" }] });
  });

  test("pass rates are labels for the metrics, and may be missing here and there", async () => {
    const of = async (pass_rate: unknown[]) => {
      const reply = await replyOf(
        ScoreBatchReplySchema,
        await setUp().post(PATH, { ...mixed, context: { pass_rate } }),
      );
      return [reply.metrics.tau_b_mean, reply.metrics.list_acc, reply.rewards];
    };
    expect(await of([0, 1, 1, 0, 0.5])).toEqual([1, 1, REWARDS]);
    expect(await of([null, 1, 1, 0, 0.5])).toEqual([1, 1, REWARDS]);
    expect(await of([null, null, 1, 0, 0.5])).toEqual([null, null, REWARDS]);
  });
});

test.each<[string, object, string, string]>([
  ["no completions", { prompts: ["p"] }, "completions", "required"],
  ["no prompts", { completions: ["c"] }, "prompts", "required"],
  ["an empty batch", { prompts: [], completions: [] }, "completions", "at least 1"],
  ["lists of unequal length", { prompts: ["p"], completions: ["a", "b"] }, "prompts", "1 element for 2 completions"],
  ["a column of another length", { ...mixed, context: { answer: ["1"] } }, "context.answer", "for 5 completions"],
  ["a completion that is a number", { ...mixed, completions: [1, "", "", "", ""] }, "completions[0]", "string"],
  [
    "a prompt over its limit",
    { ...mixed, prompts: ["p", "p".repeat(LIMITS.prompt_bytes + 1), "p", "p", "p"] },
    "prompts[1]",
    "prompt_bytes",
  ],
  [
    "an extra_info without the prompt",
    { solution_strs: ["a"], extra_infos: [{ index: 1 }] },
    "extra_infos[0]",
    "question",
  ],
  ["an unknown field in an inline spec", { ...mixed, spec: { colour: 1 } }, "spec.colour", "unknown field"],
  ["a spec's name that cannot be one", { ...mixed, spec: "No Name" }, "spec", "must match"],
  ["a negative length", { ...mixed, length_tokens: [1, 2, -3, 4, 5] }, "length_tokens[2]", "at least 0"],
  ["a pass rate above 1", { ...mixed, pass_rate: [0, 0, 0, 2, 0] }, "pass_rate[3]", "at most 1"],
  ["a step that is a text", { ...mixed, step: "4" }, "step", "number"],
])("%s is refused by name", async (_, body, path, names) => {
  const problem = await problemOf(await setUp().post(PATH, body));
  expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
  expect(problem.errors).toMatchObject([{ path, message: expect.stringContaining(names) }]);
});

test.each(["maybe", "NaN", "1e400", "true"])("on_failure=%s is refused", async (value) => {
  const problem = await problemOf(await setUp().post(`${PATH}?on_failure=${value}`, mixed));
  expect(problem.errors?.[0]?.path).toBe("on_failure");
});

test("columns named like a native list do not meet that list's limits", async () => {
  const n = 300;
  const body = {
    prompts: Array.from({ length: n }, (_, i) => `${i % 100}`),
    completions: Array.from({ length: n }, (_, i) => fenced(`${i}`)),
    groups: Array.from({ length: n }, (_, i) => i),
    lists: "x",
  };
  expect(await rewardsOf(body)).toHaveLength(n);
});
