// That a completion beyond rollout_text_bytes ends no request, in the native contract and in every
// other tool's: it loses, its neighbours are scored, and where groups are gathered it has come.
import { expect, test } from "vitest";
import { CORRECT, QUESTION, WRONG } from "../../../src/api/tools/shared/page.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { setUp } from "./setup.ts";

/** Its head holds the longest program of all, which the fake verifier would prefer. */
const LONG = `\`\`\`python\n${"x".repeat(9_000)}\n\`\`\`\n${"y".repeat(LIMITS.rollout_text_bytes)}`;
const TEXTS = [CORRECT, LONG, WRONG];
const chat = [{ role: "user", content: QUESTION }];
const output = (text: string) => ({ output: [{ type: "message", role: "assistant", content: text }] });
const rendered = (text: string) => `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${text}`;

test.each<[path: string, body: object, rewards: (reply: never) => (number | null)[]]>([
  [
    "/v1/rewards",
    { groups: [{ prompt: QUESTION, rollouts: TEXTS.map((text) => ({ text })) }] },
    ({ rewards }: { rewards: number[][] }) => rewards.flat(),
  ],
  [
    "/v1/score_batch",
    { prompts: TEXTS.map(() => QUESTION), completions: TEXTS },
    ({ rewards }: { rewards: number[] }) => rewards,
  ],
  [
    "/openrlhf/get_reward",
    { query: TEXTS.map(rendered), prompts: TEXTS.map(() => rendered("")) },
    ({ rewards }: { rewards: number[] }) => rewards,
  ],
  [
    "/nemo-gym/compare",
    { conversation_history: chat, response_objs: TEXTS.map(output) },
    ({ rewards }: { rewards: number[] }) => rewards,
  ],
  [
    "/v1/rerank?spec=default",
    { query: QUESTION, documents: TEXTS },
    ({ results }: { results: { index: number; relevance_score: number }[] }) =>
      results.toSorted((a, b) => a.index - b.index).map((one) => one.relevance_score),
  ],
  [
    "/ruler/v1/chat/completions",
    {
      messages: [
        {
          role: "user",
          content: `<context>\n${JSON.stringify(chat)}\n</context>\n\nTrajectories:\n\n${TEXTS.map(
            (content, i) =>
              `<trajectory id="${i}">\n${JSON.stringify([{ role: "assistant", content }])}\n</trajectory>`,
          ).join("\n\n")}`,
        },
      ],
    },
    ({ choices }: { choices: { message: { content: string } }[] }) =>
      (JSON.parse(choices[0]?.message.content ?? "").scores as { score: number }[]).map(({ score }) => score),
  ],
])("%s scores the others of its request, and it is last", async (path, body, rewards) => {
  const response = await setUp().post(path, body);
  const text = await response.text();
  expect([response.status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  const [correct, long, wrong] = rewards(JSON.parse(text) as never) as [number, number, number];
  expect(long).toBeLessThan(Math.min(correct, wrong));
  expect(correct).not.toBe(wrong);
});

test.each<[path: string, body: (text: string) => object, reward: (reply: never) => number]>([
  ["/slime/reward", (response) => ({ prompt: QUESTION, response }), (reply) => reply],
  [
    "/openrlhf/get_reward",
    (text) => ({ query: [rendered(text)], prompts: [rendered("")] }),
    ({ rewards: [reward] }: { rewards: [number] }) => reward,
  ],
  [
    "/verl/compute_score",
    (solution_str) => ({ solution_str, extra_info: { question: QUESTION } }),
    ({ score }: { score: number }) => score,
  ],
  [
    "/nemo-gym/verify",
    (text) => ({ responses_create_params: { input: QUESTION }, response: output(text) }),
    ({ reward }: { reward: number }) => reward,
  ],
  [
    "/evaluate",
    (content) => ({ messages: [...chat, { role: "assistant", content }] }),
    ({ score }: { score: number }) => score,
  ],
])("%s counts it as arrived, and rewards a group of all", async (path, body, reward) => {
  const { post, runLog } = setUp();
  const replies = await Promise.all(TEXTS.map((text) => post(`${path}?group_size=3`, body(text))));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const told = (await Promise.all(replies.map((reply) => reply.json()))) as never[];
  const [correct, long, wrong] = told.map(reward) as [number, number, number];
  expect(long).toBeLessThan(Math.min(correct, wrong));
  expect(correct).not.toBe(wrong);
  expect(runLog.entries.map(({ items }) => items)).toEqual([3]);
});
