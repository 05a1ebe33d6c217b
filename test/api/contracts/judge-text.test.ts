// What the judge wrote, beside the reward in every reply that has room for more than numbers.
import { describe, expect, test } from "vitest";
import { SpecSchema } from "../../../src/core/reward/flat-spec.ts";
import { fakeSpecStore, type Script } from "../../harness/fakes.ts";
import { fenced, longest, setUp } from "../routes/harness.ts";

const GOOD = fenced("longer than the other");
const BAD = fenced("short");
const QUOTED = "It holds what the judge alone says.";
const script: Script = (...of) => `${QUOTED} ${longest(...of)}`;
const TOLD = { signal: "base", sample: 0, status: "ok", error: null, text: expect.stringContaining(QUOTED) };

const world = () => {
  const specs = { told: SpecSchema.parse({ judge_text: true }), silent: SpecSchema.parse({}) };
  return setUp({ script, specs: fakeSpecStore(specs) });
};

type Reply = Record<string, unknown>;

/** What both samples of a group are told, the better one first. */
async function both(path: string, body: (text: string) => object, spec = "told"): Promise<Reply[]> {
  const { post, lines } = world();
  const replies = await Promise.all([GOOD, BAD].map((text) => post(`${path}spec=${spec}&group_size=2`, body(text))));
  const told = await Promise.all(replies.map((reply) => reply.json() as Promise<Reply>));
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.stringify(lines)).not.toContain(QUOTED);
  return told;
}

const gym = (text: string) => ({
  responses_create_params: { input: "Write it." },
  response: { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }] },
});

const ROOMY = {
  "/slime/reward?format=object&": (response: string) => ({ prompt: "Write it.", response }),
  "/verl/compute_score?": (solution_str: string) => ({ solution_str, extra_info: { question: "Write it." } }),
  "/nemo-gym/verify?": gym,
};

describe("a gathered row with room for it tells what the judge wrote", () => {
  test.each(Object.entries(ROOMY))("%s", async (path, body) => {
    const rows = await both(path, body);
    const texts = rows.map(({ judge_text }) => (typeof judge_text === "string" ? JSON.parse(judge_text) : judge_text));
    expect(texts).toEqual([[expect.objectContaining(TOLD)], [expect.objectContaining(TOLD)]]);
    const [[{ shown, verdict }]] = texts;
    expect([shown.toSorted(), verdict.kind]).toEqual([[0, 1], "letter"]);
    for (const row of await both(path, body, "silent")) expect(row).not.toHaveProperty("judge_text");
  });

  test("OpenRLHF's has none: its logs are numbers", async () => {
    const [row] = await both("/openrlhf/get_reward?", (text) => ({
      query: [`Write it.${text}`],
      prompts: ["Write it."],
    }));
    expect(JSON.stringify(row)).not.toContain(QUOTED);
  });
});

const request = { groups: [{ prompt: "Write it.", rollouts: [{ text: GOOD }, { text: BAD }] }], spec: "told" };

test("the stream tells it with each group", async () => {
  const { post } = world();
  const reply = await post("/v1/rewards", request, { accept: "application/x-ndjson" });
  const [group] = (await reply.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(group.rollouts).toMatchObject([{ judge_text: [TOLD] }, { judge_text: [TOLD] }]);
});

test("a flat batch has it as a column", async () => {
  const { post } = world();
  const body = { prompts: ["Write it.", "Write it."], completions: [GOOD, BAD], spec: "told" };
  const { columns } = (await (await post("/v1/score_batch", body)).json()) as { columns: Reply };
  expect(columns.judge_text).toMatchObject([[TOLD], [TOLD]]);
});

test("RULER's explanation holds it", async () => {
  const { post } = world();
  const trajectories = [GOOD, BAD].map(
    (content, i) => `<trajectory id="${i + 1}">\n${JSON.stringify([{ role: "assistant", content }])}\n</trajectory>`,
  );
  const content = ['<context>\n[{"role": "user", "content": "Write it."}]\n</context>', ...trajectories].join("\n\n");
  const body = { model: "told", messages: [{ role: "user", content }] };
  const reply = (await (await post("/ruler/v1/chat/completions", body)).json()) as {
    choices: [{ message: { content: string } }];
  };
  const { scores } = JSON.parse(reply.choices[0].message.content);
  expect(scores[0].explanation).toContain(`won 1, lost 0 and tied 0 of 1 comparisons. ${QUOTED}`);
});

test("every rollout of one final answer is told what the judge wrote of that answer", async () => {
  const { post } = setUp({ script: () => "Final Judgment: \\boxed{A} - CORRECT" });
  const rollouts = ["so 1", "thus 1", "so 2"].map((text) => ({
    text: `${text} \\boxed{${text.at(-1)} apples and more}`,
  }));
  const group = { prompt: "How many?", reference: "one apple and more", rollouts };
  const spec = { judge_text: true, signals: { right: { kind: "reference", tiers: ["judge"] } } };
  const reply = (await (await post("/v1/rewards", { groups: [group], spec })).json()) as {
    groups: [{ rollouts: { judge_text: Reply[] }[] }];
  };
  const told = reply.groups[0].rollouts.map(({ judge_text }) =>
    judge_text.map(({ signal, verdict }) => [signal, verdict]),
  );
  expect(told).toEqual(new Array(3).fill([["right", { kind: "label", label: "A" }]]));
});
