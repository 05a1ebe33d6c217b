// A stored spec of signals through foreign contracts: the reward of a hand calculation, and each
// signal's value where a contract has a place for it.
import { describe, expect, test } from "vitest";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { fenced, problemOf, setUp } from "../routes/harness.ts";

const parse = (spec: unknown) => SignalsSpecSchema.parse(spec);
const T = { kind: "tournament" };
const F = { kind: "format", rules: ["has_candidate"], penalty: 2 };
const SPECS = {
  mine: parse({ signals: { wins: T, shape: F }, reward: "0.5 * wins + clamp(shape, -1, 0)" }),
  alone: parse({ signals: { shape: F } }),
  lengths: parse({ signals: { wins: T, size: { kind: "overlong", max_tokens: 10, cache_tokens: 5 } } }),
};
const GOOD = fenced("longer than the other");
const BAD = "no program";

const world = () => setUp({ specs: fakeSpecStore(SPECS) });

/** The rewards of both samples of a group: the better one 0.5, the malformed one -1. */
async function both(path: string, body: (text: string) => object) {
  const { post } = world();
  const replies = await Promise.all([GOOD, BAD].map((text) => post(`${path}?spec=mine&group_size=2`, body(text))));
  for (const reply of replies) expect(reply.status).toBe(200);
  return Promise.all(replies.map((reply) => reply.json() as Promise<Record<string, unknown>>));
}

describe("a gathered contract carries the named signals", () => {
  test("verl", async () => {
    const replies = await both("/verl/compute_score", (solution_str) => ({
      data_source: "d",
      solution_str,
      extra_info: { question: "Write it." },
    }));
    expect(replies).toMatchObject([
      { score: 0.5, rm_signal_shape: 0, rm_signal_wins: 1 },
      { score: -1, rm_signal_shape: -2, rm_signal_wins: 0 },
    ]);
    expect(Object.keys(replies[0] as object)).toEqual(Object.keys(replies[1] as object));
    expect(replies[0]).not.toHaveProperty("rm_base");
  });

  test("OpenRLHF, on the range that is proved", async () => {
    const replies = await both("/openrlhf/get_reward", (text) => ({
      query: [`Write it.${text}`],
      prompts: ["Write it."],
    }));
    expect(replies).toMatchObject([
      { rewards: [0.5], scores: [1], extra_logs: { rm_signal_shape: [0], rm_signal_wins: [1] } },
      { rewards: [-1], scores: [0], extra_logs: { rm_signal_shape: [-2], rm_signal_wins: [0] } },
    ]);
  });

  test("slime, as an object", async () => {
    const { post } = world();
    const of = (response: string) =>
      post("/slime/reward?spec=mine&group_size=2&format=object", { prompt: "Write it.", response });
    const [good] = await Promise.all([of(GOOD), of(BAD)]);
    expect(await good.json()).toMatchObject({ score: 0.5, rm_signal_wins: 1, rm_signal_shape: 0 });
  });

  test("one without a relative signal waits for nobody", async () => {
    const { post } = world();
    const reply = await post("/slime/reward?spec=alone", { prompt: "Write it.", response: BAD });
    expect(await reply.json()).toBe(-2);
  });
});

test("score_batch carries them as columns of their own", async () => {
  const { post } = world();
  const batch = { prompts: ["p", "p"], completions: [GOOD, BAD] };
  const reply = (await (await post("/v1/score_batch?spec=mine", batch)).json()) as Record<string, object>;
  expect(reply).toMatchObject({
    rewards: [0.5, -1],
    components: { shape: [0, -2], wins: [1, 0] },
    reward_range: [-1, 0.5],
    columns: { wins: [1, 0], error: [null, null] },
  });
  expect(reply.columns).not.toHaveProperty("base");
});

test("rerankers and judges read the reward on its range", async () => {
  const { post } = world();
  const documents = ["short", "by far the longest text", "a longer text"];
  const ranked = await post("/v1/rerank?spec=mine", { model: "m", query: "q", documents: documents.map(fenced) });
  const { results } = (await ranked.json()) as { results: { index: number; relevance_score: number }[] };
  expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
  // Rewards 0.5, 0.25 and 0 on -1..0.5.
  expect(results.map(({ relevance_score }) => relevance_score)).toEqual([1, 1.25 / 1.5, 1 / 1.5]);
  const question = JSON.stringify({ question: "q", candidates: ["aa", "a"] });
  const judged = await post("/v1/chat/completions?spec=mine", { messages: [{ role: "user", content: question }] });
  const { choices } = (await judged.json()) as { choices: { message: { content: string } }[] };
  expect(choices[0]?.message.content).toContain("\\boxed{A}");
});

test("a signal that needs lengths is refused by name where a contract has none", async () => {
  const { post } = world();
  const problem = await problemOf(
    await post("/v1/score_batch?spec=lengths", { prompts: ["p", "p"], completions: [GOOD, BAD] }),
  );
  expect(problem.code).toBe("length_tokens_required");
  expect(problem.errors?.[0]?.message).toContain("the signal size");
});
