// Holds what a decision model is asked in each API, that a whole group goes in one call an order, and
// that none of its faults becomes a number or costs a neighbour its verdict.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DecisionFaults,
  type DecisionSimulator,
  startDecisionSimulator,
} from "../../scripts/stack/decision-simulator.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { DECISION_API_NAMES, DECISION_APIS, sharesOf } from "../../src/core/wire/decision-apis.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { WORDS } from "../../src/verifier/decision/state.ts";
import { setUp } from "../api/routes/harness.ts";
import { clock } from "./setup.ts";

/** `answer 7` is stronger than `answer 3`. */
const strengthOf = (text: string) => Number(/answer (\d+)/.exec(text)?.[1] ?? 0) / 4;
const answers = (numbers: readonly number[]) => numbers.map((number) => ({ text: `answer ${number}` }));

let model: DecisionSimulator;
beforeAll(async () => {
  model = await startDecisionSimulator(strengthOf, "jev-1.13.0");
});
afterAll(() => model.close());
afterEach(() => {
  for (const name of Object.keys(model.faults)) delete model.faults[name as keyof DecisionFaults];
  model.states.length = 0;
  model.questions.length = 0;
});

type Judged = {
  rewards: (number | null)[][];
  groups: {
    rollouts: { reward: number | null; error: string | null; undecided: number }[];
    verifier: { prompt_tokens: number; why?: Record<string, number> };
  }[];
  warnings: string[];
};
/** Each test has its own backend, so that its failures do not slow the others. */
let made = 0;
const verifier = (api: (typeof DECISION_API_NAMES)[number] = "systemone") =>
  createVerifier(
    [
      {
        name: `model-${made++}`,
        protocol: "decision",
        url: api === "workers-ai" ? `${model.url}/accounts/1/ai` : model.url,
        api,
        model: "@cf/cloudflare/clef",
      } as never,
    ],
    { hedging: false },
    clock,
  );

async function judged(
  groups: readonly (readonly { text: string }[])[],
  judge: object = {},
  api?: (typeof DECISION_API_NAMES)[number],
  more: object = {},
): Promise<Judged> {
  const { post } = setUp({ verifier: verifier(api), clock });
  const spec = { candidate: { extract: "whole" }, judge: { preset: "decide-pair", ...judge } };
  const reply = await post("/v1/rewards", {
    spec,
    deadline_ms: 60_000,
    groups: groups.map((rollouts, g) => ({ prompt: `p${g}`, rollouts })),
    ...more,
  });
  expect(reply.status, await reply.clone().text()).toBe(200);
  return (await reply.json()) as Judged;
}

describe.each(DECISION_API_NAMES)("by the API %s", (api) => {
  it("64 groups of 8 are 64 calls in one order and 128 in both, with the same rewards in every API", async () => {
    const groups = Array.from({ length: 64 }, (_, g) => answers([3, 1, 4, 15, 9, 2, 6, 5].map((n) => n + g)));
    const once = await judged(groups, {}, api);
    expect(model.states).toHaveLength(64);
    expect(new Set(model.questions)).toEqual(new Set([29]));
    const twice = await judged(groups, { both_orders: true }, api);
    expect(model.states).toHaveLength(64 + 128);
    for (const { rewards } of [once, twice])
      for (const row of rewards) expect(row.indexOf(Math.max(...(row as number[])))).toBe(3);
    expect(twice.rewards).toEqual((await judged(groups, { both_orders: true })).rewards);
  });

  it("a refused question leaves out that comparison alone", async () => {
    model.faults.refuses = (question) => /^Which answer does the task better, A or C\?$/.test(question);
    const { groups } = await judged([answers([8, 5, 2])], { min_decided: 0.5 }, api);
    expect(groups[0]?.rollouts.every(({ reward }) => reward !== null)).toBe(true);
    expect(groups[0]?.rollouts.map(({ undecided }) => undecided)).toSatisfy(
      (all: number[]) => [...all].sort().join() === "0,1,1",
    );
  });
});

it("both orders show each pair once each way: the reverse of a state is the other", async () => {
  await judged([answers([1, 2, 3, 4])], { both_orders: true });
  const letters = model.states.map((state) => [...state.matchAll(/answer \d/g)].map(([text]) => text));
  expect(letters[1]).toEqual([...(letters[0] as string[])].reverse());
});

it("a place bias cancels in both orders", async () => {
  model.faults.place_bias = 1;
  const { rewards } = await judged([answers([4, 4, 4].map((n, i) => n + i / 1e9))], { both_orders: true });
  for (const reward of rewards[0] as number[]) expect(reward).toBeCloseTo(0.5, 9);
});

it("a group's rewards hang on no order of its rollouts", async () => {
  const there = await judged([answers([1, 5, 3, 8])], { both_orders: true });
  const back = await judged([answers([8, 3, 5, 1])], { both_orders: true });
  expect(back.rewards[0]).toEqual([...(there.rewards[0] as number[])].reverse());
});

it("more pairs than a call takes go in as many calls as they need, each with its check", async () => {
  await judged([answers(Array.from({ length: 16 }, (_, i) => i + 1))]);
  expect(model.questions).toEqual([61, 61]);
});

it("a group in one call has bit for bit the rewards of its pairs asked one by one", async () => {
  const api = DECISION_APIS.systemone as { questions_max: number };
  const groups = Array.from({ length: 20 }, (_, g) => answers([3, 1, 4, 15, 9, 2, 6, 5].map((n) => n + g)));
  for (const both_orders of [false, true]) {
    const together = await judged(groups, { both_orders, strength: "graded" });
    const calls = model.states.length;
    api.questions_max = 2;
    try {
      expect((await judged(groups, { both_orders, strength: "graded" })).rewards).toEqual(together.rewards);
    } finally {
      api.questions_max = 64;
    }
    expect(model.states.length - calls).toBe(28 * calls);
    model.states.length = 0;
  }
});

it("long runs of one character are no sign of a cut state, and cost an honest answer nothing", async () => {
  // 40 spaces a token, as tokenizers of code have it.
  model.faults.spoils = (sent, state) => ({
    ...sent,
    usage: { input_tokens: Math.ceil(state.replace(/ {2,40}/g, " ").length / 4), output_tokens: 0 },
  });
  const { rewards } = await judged([[{ text: `answer 9${" ".repeat(4_000)}.` }, ...answers([3, 1])]]);
  expect(rewards[0]).toEqual([1, 0.5, 0]);
});

it("a reply that counts far too few tokens is of a state that was cut", async () => {
  model.faults.spoils = (sent) => ({ ...sent, usage: { input_tokens: 3, output_tokens: 0 } });
  const { groups } = await judged([answers([3, 1])]);
  expect(groups[0]?.rollouts.map(({ error }) => error)).toEqual(["judge_read_less", "judge_read_less"]);
});

it("a model that cuts everything is asked a bounded number of times, and every token is counted", async () => {
  model.faults.reads = 0.5;
  const { groups } = await judged([answers(Array.from({ length: 20 }, (_, i) => i + 1))], { reask: 0 });
  expect(groups[0]?.rollouts.every(({ reward }) => reward === null)).toBe(true);
  // Four calls for 190 pairs, smaller ones up to the limit, and each candidate beside a copy of itself.
  expect(model.states.length).toBeLessThanOrEqual(4 + LIMITS.decision_parts_max + 20);
  expect(model.states.length).toBeGreaterThan(LIMITS.decision_parts_max);
  const read = model.states.map((state) => Math.ceil(Math.ceil(state.length * 0.5) / 4));
  expect(groups[0]?.verifier.prompt_tokens).toBe(read.reduce((sum, tokens) => sum + tokens, 0));
});

it("a state that was cut is found in every call, and a whole one never taken for a cut one", async () => {
  model.faults.reads = 0.6;
  const cut = await judged(Array.from({ length: 100 }, (_, g) => answers([g + 1, g + 2])));
  const codes = cut.groups.flatMap(({ rollouts }) => rollouts.map(({ error }) => error));
  expect(new Set(codes)).toEqual(new Set(["judge_read_less"]));
  expect(cut.rewards.flat().every((reward) => reward === null)).toBe(true);
  model.faults.reads = 1;
  for (let part = 0; part < 1_000; part += 250) {
    const whole = await judged(Array.from({ length: 250 }, (_, g) => answers([part + g + 1, part + g + 2])));
    expect(whole.rewards.flat().every((reward) => reward !== null)).toBe(true);
  }
});

it("a candidate that spoils the check loses, and costs nobody else a verdict", async () => {
  const uniform = { probabilities: Object.fromEntries(WORDS.map((word) => [word, 1 / WORDS.length])) };
  model.faults.spoils = (sent, state) =>
    state.includes("nswer 666") ? { ...sent, answers: { ...(sent.answers as object), check: uniform } } : sent;
  const { groups } = await judged([answers([3, 1, 666, 2])]);
  const rewards = groups[0]?.rollouts.map(({ reward }) => reward) as number[];
  expect(rewards.every((reward) => reward !== null)).toBe(true);
  expect([rewards.indexOf(Math.max(...rewards)), rewards.indexOf(Math.min(...rewards))]).toEqual([0, 2]);
  // The whole state, then smaller ones.
  expect(model.states.length).toBeLessThanOrEqual(10);
});

const envelope = (code: number, message: string) => ({
  result: null,
  success: false,
  errors: [{ code, message }],
  messages: [],
});
it.each([
  ["content_filtered", { status: 400, body: { error: { message: "flagged by the content filter" } } }],
  ["context_exceeded", { status: 413, body: envelope(5021, "too long") }],
])("a candidate whose calls are refused as %s loses, and its neighbours keep theirs", async (_, refusal) => {
  model.faults.status = (state) => (state.includes("nswer 666") ? refusal : null);
  for (const both_orders of [false, true]) {
    const { rewards } = await judged([answers([3, 1, 666, 2]), answers([3, 1, 2])], { both_orders });
    const [spoilt, whole] = rewards as [number[], number[]];
    expect(spoilt[2]).toBe(-1);
    const order = (row: readonly number[]) => [...row].sort((a, b) => a - b).map((reward) => row.indexOf(reward));
    expect(order(spoilt.toSpliced(2, 1))).toEqual(order(whole));
  }
});

const reply =
  (answers: unknown, more: object = {}) =>
  (sent: Record<string, unknown>) => ({ ...sent, answers: { ...(sent.answers as object), "A.B": answers }, ...more });

it.each([
  ["a missing option", reply({ probabilities: { A: 1 } })],
  ["an option too many", reply({ probabilities: { A: 0.5, B: 0.4, C: 0.1 } })],
  ["a value that is no number", reply({ probabilities: { A: "0.5", B: 0.5 } })],
  ["a value that is not finite", reply({ probabilities: { A: null, B: 1 } })],
  ["a value above one", reply({ probabilities: { A: 1.5, B: -0.5 } })],
  ["only zeros", reply({ probabilities: { A: 0, B: 0 } })],
  ["a sum that no rounding explains", reply({ probabilities: { A: 0.9132, B: 0.0112 } })],
  ["no probabilities but a choice", reply({ choice: "A" })],
  ["no answers", () => ({ model: "m" })],
  ["no object", () => []],
])("%s is null with a code, never a number", async (_, spoils) => {
  model.faults.spoils = spoils;
  const { groups } = await judged([answers([3, 1])]);
  for (const { reward, error } of groups[0]?.rollouts ?? []) {
    expect([reward, error]).toEqual([null, "verifier_bad_reply"]);
  }
});

it.each([
  [429, envelope(3040, "Capacity temporarily exceeded"), "verifier_overloaded", true],
  [429, envelope(3021, "too many requests"), "verifier_overloaded", true],
  [429, envelope(3036, "daily free allocation"), "verifier_overloaded", false],
  [429, envelope(4006, "daily free allocation"), "verifier_overloaded", false],
  [413, envelope(3006, "request too large"), "context_exceeded", null],
  [413, envelope(5021, "too long"), "context_exceeded", null],
  [400, envelope(5006, "bad input"), "verifier_rejected", false],
  [400, envelope(5004, "bad data"), "verifier_rejected", false],
  [400, envelope(6003, "bad input"), "verifier_rejected", false],
  [422, envelope(5012, "invalid questions"), "verifier_rejected", false],
  [422, { detail: [{ loc: ["questions"], msg: "required", type: "missing" }] }, "verifier_rejected", false],
  [404, envelope(7000, "no route"), "verifier_misconfigured", false],
  [404, envelope(5007, "No such model"), "verifier_misconfigured", false],
  [404, envelope(3042, "no such model"), "verifier_misconfigured", false],
  [403, envelope(5018, "not allowed"), "verifier_misconfigured", false],
  [403, envelope(3041, "not allowed"), "verifier_misconfigured", false],
  [403, envelope(3023, "not allowed"), "verifier_misconfigured", false],
  [403, { detail: "no key" }, "verifier_misconfigured", false],
  [408, envelope(3007, "timeout"), "verifier_unavailable", true],
  [408, envelope(3008, "timeout"), "verifier_unavailable", true],
  [529, envelope(5012, "inference failed"), "verifier_overloaded", true],
  [401, envelope(10000, "Authentication error"), "verifier_misconfigured", false],
  [503, {}, "verifier_overloaded", true],
])("a status %i with %j is %s, asked again: %s", async (status, body, code, again) => {
  let asked = 0;
  model.faults.status = () => {
    asked++;
    return { status, body };
  };
  const { groups } = await judged([answers([3, 1])], {}, "workers-ai", { deadline_ms: 600 });
  expect(groups[0]?.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
    [null, code],
    [null, code],
  ]);
  if (again !== null) expect(asked > 1).toBe(again);
});

it("a choice that contradicts its probabilities is not read", async () => {
  const groups = [answers([3, 1, 4, 2])];
  const plain = await judged(groups);
  model.faults.spoils = (sent) => {
    const all = Object.entries(sent.answers as Record<string, { probabilities: Record<string, number> }>);
    const least = ({ probabilities }: (typeof all)[number][1]) =>
      Object.keys(probabilities).sort((a, b) => (probabilities[a] as number) - (probabilities[b] as number))[0];
    const wrong = all.map(([id, answer]) => [id, { ...answer, choice: least(answer), confidence: 1 }]);
    return { ...sent, answers: Object.fromEntries(wrong) };
  };
  expect((await judged(groups)).rewards).toEqual(plain.rewards);
});

it("a daily limit is met once: nothing more is asked before 00:00 UTC", async () => {
  let date = Date.UTC(2026, 10, 28, 23, 59, 59);
  const dated = { ...clock, date: () => new Date(date) };
  const backend = { name: "daily", protocol: "decision", url: `${model.url}/accounts/1/ai`, api: "workers-ai" };
  const limited = createVerifier([{ ...backend, model: "clef" } as never], { hedging: false }, dated);
  const { post } = setUp({ verifier: limited, clock: dated });
  const ask = async () => {
    const spec = { candidate: { extract: "whole" }, judge: { preset: "decide-pair" } };
    const reply = await post("/v1/rewards", { spec, groups: [{ prompt: "p", rollouts: answers([3, 1]) }] });
    const { groups } = (await reply.json()) as Judged;
    return groups[0]?.rollouts.map(({ error }) => error);
  };
  let asked = 0;
  model.faults.status = () => {
    asked++;
    return { status: 429, body: envelope(4006, "daily free allocation") };
  };
  const both = ["verifier_overloaded", "verifier_overloaded"];
  expect([await ask(), await ask(), asked]).toEqual([both, both, 1]);
  delete model.faults.status;
  expect(await ask()).toEqual(both);
  date += 1_000;
  expect(await ask()).toEqual([null, null]);
});

it("decide-grade is the expected level, and decide-best selects the best", async () => {
  const { post } = setUp({ verifier: verifier() });
  const grade = {
    candidate: { extract: "whole" },
    signals: { g: { kind: "grade", judge: { preset: "decide-grade" } } },
    reward: "g",
  };
  const graded = (await (
    await post("/v1/rewards", { spec: grade, groups: [{ prompt: "p", rollouts: answers([8, 0]) }] })
  ).json()) as Judged;
  expect(model.states).toHaveLength(1);
  expect(graded.rewards[0]?.[0]).toBeCloseTo(1 / (1 + Math.exp(-2)), 12);
  expect(graded.rewards[0]?.[1]).toBeCloseTo(0.5, 12);
  const best = { candidate: { extract: "whole" }, judge: { preset: "decide-best", mode: "listwise" } };
  const { groups } = (await (
    await post("/v1/rewards", { spec: best, groups: [{ prompt: "p", rollouts: answers([1, 9, 3]) }] })
  ).json()) as { groups: { selected: number }[] };
  expect(groups[0]?.selected).toBe(1);
});

it("a spec that names it is refused where the deployment has no decision model, and the other way round", async () => {
  const chat = await setUp().post("/v1/rewards", {
    spec: { judge: { preset: "decide-pair" } },
    groups: [{ prompt: "p", rollouts: answers([1, 2]) }],
  });
  expect([chat.status, await chat.text()]).toEqual([503, expect.stringContaining("VERIFIER_PROTOCOL")]);
  const { post } = setUp({ verifier: verifier() });
  const other = await post("/v1/rewards", {
    spec: { judge: { preset: "text-select" } },
    groups: [{ prompt: "p", rollouts: answers([1, 2]) }],
  });
  const text = await other.text();
  expect([other.status, text]).toEqual([503, expect.stringContaining("JUDGE names a chat preset for npm start")]);
  expect(text).toContain('Its decision model answers the preset \\"decide-pair\\"');
});

it("rounded probabilities are normalised within what their decimals explain", () => {
  const of = (probabilities: Record<string, number>) =>
    sharesOf({ probabilities, coverage: 1 }, Object.keys(probabilities));
  expect(of({ A: 0.93, B: 0.06 })).not.toBeNull();
  expect(of({ A: 0.9312, B: 0.0588 })).toBeNull();
  // Shares of 0 and 1 are rounded values.
  const sure = of({ A: 1, B: 0 }) as number[];
  expect(sure[0]).toBeLessThan(1);
  expect((sure[0] as number) + (sure[1] as number)).toBeCloseTo(1, 15);
});

it("readiness asks two known answers, and says what is wrong", async () => {
  expect(await verifier().check()).toMatchObject({ ok: true });
  model.faults.reads = 0.5;
  expect(await verifier().check()).toMatchObject({ ok: false, detail: "judge_read_less" });
});
