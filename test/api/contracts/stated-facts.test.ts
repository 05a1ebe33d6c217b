// Facts that one-sample contracts carry in their own fields: the label, the ground truth or the
// row gives the rewards that the same group has at /v1/rewards; what is missing, misshapen or
// contradicts the group is refused.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { GroupRooms } from "../../../src/objects/gathering/gathering.ts";
import { createLocalRooms } from "../../../src/objects/gathering/local.ts";
import { fakeTemplateStore, type Script } from "../../harness/fakes.ts";
import { judgingDeps } from "../../objects/gathering/setup.ts";
import { fixedRooms, gathered } from "./sample-setup.ts";
import { faultOf, setUp } from "./setup.ts";

const chatml = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
const QUESTION = "What is 2 * 3?";
const TEXTS = ["It is \\boxed{6}.", "It is \\boxed{7}.", "So \\boxed{6.0}."];

const responded = (text: string) => ({
  ...{
    id: "r",
    created_at: 0,
    model: "m",
    object: "response",
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  },
  output: [
    {
      id: "x",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    },
  ],
});

interface Told {
  path: string;
  /** The body about a text whose problem has this right answer, or these fields beside. */
  body(text: string, truth: unknown, row?: Record<string, unknown>): object;
  rewardIn(reply: never): number;
  /** Where the right answer stands, for refusals. */
  field: string;
}

const json = (truth: unknown, row?: object) => (row === undefined ? truth : JSON.stringify({ answer: truth, ...row }));

const CONTRACTS: Record<string, Told> = {
  OpenRLHF: {
    path: "/openrlhf/get_reward",
    // Labels are a column of texts.
    body: (text, truth, row) => ({
      query: [`${chatml(QUESTION)}${text}<|im_end|>`],
      prompts: [chatml(QUESTION)],
      labels: [json(truth, row) ?? null],
    }),
    rewardIn: ({ rewards }: { rewards: number[] }) => rewards[0] as number,
    field: "labels[0]",
  },
  slime: {
    path: "/slime/reward",
    body: (text, truth, row) => ({ prompt: QUESTION, response: text, label: json(truth, row) ?? null }),
    rewardIn: (reward: number) => reward,
    field: "label",
  },
  verl: {
    path: "/verl/compute_score",
    body: (text, truth, row) => ({
      data_source: "sums",
      solution_str: text,
      ground_truth: truth,
      extra_info: { question: QUESTION, index: 3, ...row },
    }),
    rewardIn: ({ score }: { score: number }) => score,
    field: "ground_truth",
  },
  "NeMo-Gym": {
    path: "/nemo-gym/verify",
    body: (text, truth, row) => ({
      responses_create_params: { input: [{ role: "user", content: QUESTION }] },
      response: responded(text),
      expected_answer: truth,
      ...(row && { verifier_metadata: row }),
    }),
    rewardIn: ({ reward }: { reward: number }) => reward,
    field: "expected_answer",
  },
  "eval-protocol": {
    path: "/evaluate",
    body: (text, truth, row) => ({
      messages: [
        { role: "user", content: QUESTION },
        { role: "assistant", content: text },
      ],
      ground_truth: truth,
      kwargs: row ?? {},
    }),
    // On 0..1; the specs here have that range.
    rewardIn: ({ score }: { score: number }) => score,
    field: "ground_truth",
  },
};

const RIGHT = { signals: { right: { kind: "reference" } } };
/** Relative to the group, in 0..1. */
const RANKED = { signals: { right: { kind: "reference" } }, reward: "0.5 * right + 0.5 * gmax(right)" };
const GRADED = { candidate: { extract: "whole" }, signals: { style: { kind: "rubric" } } };
const RUBRIC = [
  { id: "so", text: "Begins with So.", points: 2 },
  { id: "box", text: "Has a box.", points: 2 },
];

/** Decides a rubric's numbered items by the text alone. */
const judge: Script = ([text = ""]) =>
  JSON.stringify({ criterion_1: text.startsWith("So"), criterion_2: text.includes("boxed") });

/** The app with a stored spec; `entered` resolves once a sample is in its room. */
async function withSpec(spec: object) {
  const judging = judgingDeps(judge);
  const local = createLocalRooms(judging);
  const { promise: entered, resolve } = Promise.withResolvers<void>();
  const rooms: GroupRooms = {
    ...local,
    join(...sample) {
      const answer = local.join(...sample);
      resolve();
      return answer;
    },
  };
  const api = setUp({ verifier: judging.verifier, rooms, templates: fakeTemplateStore() });
  const put = await api.call("/v1/specs/own", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(spec),
  });
  if (put.status >= 300) throw new Error(await put.text());
  return { ...api, entered };
}

/** The rewards of the group through a contract, one request a sample, and of the same at once. */
async function both(told: Told, spec: object, truth: unknown, facts: object, row?: Record<string, unknown>) {
  const { post } = await withSpec(spec);
  const url = `${told.path}?spec=own&group_size=${TEXTS.length}`;
  const replies = await Promise.all(TEXTS.map((text) => post(url, told.body(text, truth, row))));
  const single = await Promise.all(
    replies.map(async (reply) => {
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
      return told.rewardIn(JSON.parse(text) as never);
    }),
  );
  const group = { prompt: QUESTION, ...facts, rollouts: TEXTS.map((text) => ({ text })) };
  const native = (await (await post("/v1/rewards", { spec: "own", groups: [group] })).json()) as RewardsReply;
  expect(native.rewards?.[0], JSON.stringify(native)).toHaveLength(TEXTS.length);
  return { single, native: native.rewards[0] };
}

describe.each(Object.entries(CONTRACTS))("%s", (_, told) => {
  test.each([
    ["a text", "6", "6"],
    ["a number", 6, "6"],
    ["several", ["5", "6"], ["5", "6"]],
  ])("its ground truth is the reference: %s", async (_form, truth, reference) => {
    const alone = await both(told, RIGHT, truth, { reference });
    expect(alone.single).toEqual([1, 0, 1]);
    expect(alone.single).toEqual(alone.native);
    const ranked = await both(told, RANKED, truth, { reference });
    expect(ranked.single).toEqual([1, 0.5, 1]);
    expect(ranked.single).toEqual(ranked.native);
  });

  test("a rubric and test cases are read where its row has them", async () => {
    const { single, native } = await both(told, GRADED, "6", { rubric: RUBRIC }, { rubric: RUBRIC });
    expect(single).toEqual([0.5, 0.5, 1]);
    expect(single).toEqual(native);
    const { call } = await withSpec({ signals: { tests: { kind: "tests", source: "sandbox" } } });
    const { rooms, joined } = fixedRooms(gathered());
    const stored = await (await call("/v1/specs/own")).json();
    const api = setUp({ rooms });
    await api.call("/v1/specs/own", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify((stored as { spec: object }).spec),
    });
    const row = { language: "python", unit_tests: { inputs: ["2", "4"], outputs: ["4", "8"] } };
    const reply = await api.post(`${told.path}?spec=own`, told.body("x", null, row));
    expect(reply.status, await reply.text()).toBe(200);
    const cases = [
      { stdin: "2", stdout: "4", weight: 1 },
      { stdin: "4", stdout: "8", weight: 1 },
    ];
    expect(joined[0]?.facts).toEqual({ language: "python", test_cases: cases });
  });

  test("what is missing or of another form is refused as /v1/rewards does, naming its own field", async () => {
    const { post } = await withSpec(RIGHT);
    const missing = await faultOf(await post(`${told.path}?spec=own`, told.body("\\boxed{6}", null)), 400);
    expect(missing.code).toBe("facts_required");
    expect(missing.errors?.[0]?.path.replace("verifier_metadata", told.field)).toBe(told.field);
    expect(missing.errors?.[0]?.message).toContain("carries no reference, which the signal right of the spec needs");
    const long = await faultOf(await post(`${told.path}?spec=own`, told.body("\\boxed{6}", "6".repeat(20_000))), 400);
    expect(long.code).toBe("invalid_request");
    expect(long.errors?.[0]).toMatchObject({ path: told.field, message: expect.stringContaining("reference_chars") });
  });
});

test.each(Object.entries(CONTRACTS))(
  "%s: a row without a reference is told as the caller declared, and its neighbours keep their rewards",
  async (_, told) => {
    const { post } = await withSpec(RIGHT);
    const send = (text: string, truth: unknown) =>
      post(`${told.path}?spec=own&group_size=1&on_failure=-1`, told.body(text, truth));
    const [right, lacking, wrong] = await Promise.all([
      send("\\boxed{6}", "6"),
      send("x", null),
      send("\\boxed{7}", "6"),
    ]);
    const replies = [right, lacking, wrong] as Response[];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const rewards = await Promise.all(replies.map(async (reply) => told.rewardIn((await reply.json()) as never)));
    // Contracts on 0..1 tell a declared number as the nearer end.
    expect([rewards[0], Math.min(0, rewards[1] as number) <= 0, rewards[2]]).toEqual([1, true, 0]);
  },
);

test("rows of NeMo-Gym without a prompt are groups by what else they hold", async () => {
  const { post } = await withSpec(RANKED);
  const told = CONTRACTS["NeMo-Gym"] as Told;
  const send = async (id: string, at: number) => {
    const body = {
      ...told.body(TEXTS[at] as string, "6"),
      ...{ responses_create_params: { input: [] }, id, _ng_rollout_index: at },
    };
    const reply = (await (await post(`${told.path}?spec=own&group_size=3&run_id=r&step=1`, body)).json()) as object;
    return reply as { reward: number; rm_members: number };
  };
  const replies = await Promise.all(["a", "b"].flatMap((id) => TEXTS.map((_, at) => send(id, at))));
  expect(replies.map(({ reward }) => reward)).toEqual([1, 0.5, 1, 1, 0.5, 1]);
  expect(replies.map(({ rm_members }) => rm_members)).toEqual(new Array(6).fill(3));
});

describe("a group whose samples disagree", () => {
  test("on the rubric of one prompt and label is refused from the second one on, by name", async () => {
    const { post, entered } = await withSpec(GRADED);
    const told = CONTRACTS.verl as Told;
    const url = `${told.path}?spec=own&group_size=2&run_id=r&step=1`;
    const first = post(url, told.body(TEXTS[0] as string, "6", { rubric: RUBRIC }));
    await entered;
    const other = await faultOf(await post(url, told.body(TEXTS[1] as string, "6", { rubric: RUBRIC.slice(1) })), 400);
    expect(other).toMatchObject({ code: "facts_disagree", retryable: false, errors: [{ path: "rubric" }] });
    await first;
  });

  test("leaves its neighbours to be judged at once, and refuses them where all have to be there", async () => {
    const told = CONTRACTS["NeMo-Gym"] as Told;
    for (const whole of ["judge", "error"]) {
      const { post, entered } = await withSpec(RANKED);
      const url = `${told.path}?spec=own&group_size=3&on_incomplete=${whole}`;
      const send = (at: number, truth: string) =>
        post(url, { ...told.body(TEXTS[at] as string, truth), _ng_group_id: "g", _ng_rollout_index: at });
      const first = send(0, "6");
      await entered;
      // However often it comes, it is one.
      const refused = [await send(2, "7"), await send(2, "7")];
      const replies = [await send(1, "6"), await first];
      for (const reply of refused) expect(await faultOf(reply, 400)).toMatchObject({ code: "facts_disagree" });
      if (whole === "judge") expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      else for (const reply of replies) expect(await faultOf(reply, 400)).toMatchObject({ code: "facts_disagree" });
    }
  });

  test("on the answer of one cohort id is refused, and its corrected sample is a late one of the same group", async () => {
    const { post, entered } = await withSpec(RANKED);
    const told = CONTRACTS["NeMo-Gym"] as Told;
    const url = `${told.path}?spec=own&group_size=2`;
    const send = (at: number, truth: string) =>
      post(url, { ...told.body(TEXTS[at] as string, truth), _ng_group_id: "g", _ng_rollout_index: at });
    const first = send(0, "6");
    await entered;
    expect(await faultOf(await send(1, "7"), 400)).toMatchObject({ code: "facts_disagree" });
    const replies = [await first, await send(1, "6")];
    expect(await Promise.all(replies.map((reply) => reply.json()))).toMatchObject([
      { rm_members: 1, rm_late: 0 },
      { rm_members: 2, rm_late: 1 },
    ]);
  });
});

test("a batch of OpenRLHF is scored by each prompt's own label", async () => {
  const { post } = await withSpec(RIGHT);
  const samples = ["6", "6", "7"].map((label, i) => ({ label, text: TEXTS[i] as string }));
  const reply = await post("/openrlhf/get_reward?spec=own", {
    query: samples.map(({ text }) => `${chatml(QUESTION)}${text}`),
    prompts: samples.map(() => chatml(QUESTION)),
    labels: samples.map(({ label }) => label),
  });
  expect(((await reply.json()) as { rewards: number[] }).rewards).toEqual([1, 0, 0]);
});

test("results of a rollout's own tests come with its row", async () => {
  const { post } = await withSpec({ signals: { tests: { kind: "tests" } } });
  const tests = [["pass", "pass"], ["pass", "fail"], ["timeout"]].map((all) => all.map((status) => ({ status })));
  for (const told of [CONTRACTS["NeMo-Gym"], CONTRACTS.verl] as Told[]) {
    const replies = tests.map(async (results, i) => {
      const reply = await post(`${told.path}?spec=own`, told.body(TEXTS[i] as string, "6", { tests: results }));
      return told.rewardIn((await reply.json()) as never);
    });
    const rollouts = TEXTS.map((text, i) => ({ text, tests: tests[i] }));
    const native = await post("/v1/rewards", { spec: "own", groups: [{ prompt: QUESTION, rollouts }] });
    expect(await Promise.all(replies)).toEqual([1, 0.5, 0]);
    expect(((await native.json()) as RewardsReply).rewards).toEqual([[1, 0.5, 0]]);
  }
});
