// Holds that a decision model is asked about up to 26 answers in one question, that a candidate which spoils
// such a list is found and costs its neighbours nothing, and that rankings ask one question in one call.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DecisionSimulator, startDecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import { specOfJudge } from "../../src/core/reward/default-spec.ts";
import { DECISION_API_NAMES, type DecisionApiName } from "../../src/core/wire/decision-apis.ts";
import { WORDS } from "../../src/verifier/decision/state.ts";
import { type Problem, problemOf } from "../api/routes/harness.ts";
import fc from "../harness/property.ts";
import { answers, appOver, forget, type Judged, strengthOf } from "./decision-setup.ts";

let model: DecisionSimulator;
beforeAll(async () => {
  model = await startDecisionSimulator(strengthOf, "jev-1.13.0");
});
afterAll(() => model.close());
afterEach(() => forget(model));

const LIST = { preset: "decide-best", mode: "listwise" };
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const specOf = (judge: object = {}) => ({
  candidate: { extract: "whole" },
  judge: { ...LIST, ...judge },
});

async function judged(numbers: readonly number[], judge: object = {}, api?: DecisionApiName): Promise<Judged> {
  const groups = [{ prompt: "p", rollouts: answers(numbers) }];
  const reply = await appOver(model, api).post("/v1/rewards", { spec: specOf(judge), deadline_ms: 60_000, groups });
  expect(reply.status, await reply.clone().text()).toBe(200);
  return (await reply.json()) as Judged;
}

async function refused(body: object): Promise<Problem> {
  const reply = await appOver(model).post("/v1/rewards", body);
  expect(reply.status).toBe(400);
  return problemOf(reply);
}

describe.each(DECISION_API_NAMES)("by the API %s", (api) => {
  it.each([2, 6, 13, 26])("%i answers are one question in one call, and come out in their order", async (n) => {
    const numbers = upTo(n).map((number) => ((number * 7) % 27) + 1);
    const { rewards } = await judged(numbers, {}, api);
    expect([model.states.length, ...model.questions]).toEqual([1, 2]);
    const ranked = (values: readonly (number | null)[]) =>
      upTo(n).sort((a, b) => (values[b - 1] as number) - (values[a - 1] as number));
    expect(ranked(rewards[0] ?? [])).toEqual(ranked(numbers));
  });

  it("rewards are the same in every API", async () => {
    const { rewards } = await judged(upTo(26), { both_orders: true }, api);
    expect(rewards).toEqual((await judged(upTo(26), { both_orders: true })).rewards);
  });
});

it("both orders show the list and its reverse", async () => {
  await judged(upTo(26), { both_orders: true });
  const [there, back] = model.states.map((state) => [...state.matchAll(/answer \d+/g)].map(([text]) => text));
  expect(there).toHaveLength(26);
  expect(back).toEqual([...(there as string[])].reverse());
});

it("samples are fresh permutations", async () => {
  await judged(upTo(26), { samples: 8 });
  const orders = model.states.map((state) => [...state.matchAll(/answer \d+/g)].join());
  expect(new Set(orders).size).toBe(8);
});

it("27 different answers are refused before any question, by the preset's limit", async () => {
  const groups = [{ prompt: "p", rollouts: answers(upTo(27)) }];
  const { code, errors, detail } = await refused({ spec: specOf(), groups });
  expect([code, errors?.[0]?.path]).toEqual(["list_too_long", "groups[0].rollouts"]);
  expect(errors?.[0]?.message).toContain("27 different candidates; the limit is decision_candidates_max = 26");
  expect(detail).toContain("2..26");
  expect(model.states).toEqual([]);
});

it("blocks may be as long as the preset's lists", async () => {
  const blocks = (size: number) => ({ schedule: { name: "blocks", size } });
  const { rewards } = await judged(upTo(30), blocks(26));
  expect(rewards[0]?.every((reward) => reward !== null)).toBe(true);
  for (const state of model.states) expect([...state.matchAll(/answer \d+/g)].length).toBeLessThanOrEqual(26);
  const groups = [{ prompt: "p", rollouts: answers([1, 2]) }];
  const chat = await refused({ spec: { judge: { preset: "text-select", mode: "listwise", ...blocks(6) } }, groups });
  expect(chat.errors).toEqual([
    {
      path: "spec.judge.schedule.size",
      message: `6; must be at most 5 (limit list_candidates_max); use mode "pairwise", or smaller groups`,
    },
  ]);
  const longer = await refused({ spec: specOf(blocks(27)), groups });
  expect(longer.errors?.[0]?.message).toContain("at most 26 (limit decision_candidates_max)");
});

it("the cost of a list is one generation, and a bounded number if candidates spoil it", async () => {
  for (const n of [3, 8, 26]) {
    const reply = await appOver(model).post(`/v1/specs/check?n=${n}`, specOf());
    const { cost } = (await reply.json()) as { cost: { generations: number; generations_max: number } };
    expect(cost.generations).toBe(1);
    expect(cost.generations_max).toBeLessThanOrEqual(5 * n + 2 * 10 + 6);
  }
});

const FLAT = { probabilities: Object.fromEntries(WORDS.map((word) => [word, 1 / WORDS.length])) };
/** Each way in which a candidate may keep the model from judging all others of its call. */
const SPOILS: Record<string, (spoilt: (state: string) => boolean) => void> = {
  judge_read_less: (spoilt) => {
    model.faults.spoils = (sent, state) =>
      spoilt(state) ? { ...sent, answers: { ...(sent.answers as object), check: FLAT } } : sent;
  },
  context_exceeded: (spoilt) => {
    model.faults.status = (state) =>
      spoilt(state) ? { status: 400, body: { error: { message: "maximum context length exceeded" } } } : null;
  },
  unparsed: (spoilt) => {
    model.faults.spoils = (sent, state) => {
      const ids = Object.keys(sent.answers as object).filter((id) => id !== "check");
      const diagnostics = Object.fromEntries(ids.map((id) => [id, { label_mass: 0.2 }]));
      return spoilt(state) ? { ...sent, diagnostics } : sent;
    };
  },
  content_filtered: (spoilt) => {
    model.faults.status = (state) =>
      spoilt(state) ? { status: 400, body: { error: { message: "content_filter" } } } : null;
  },
};

/** Result of the spoiling candidate: a loss, or null if its verdicts were unreadable. */
const outOf = (code: string) =>
  code === "unparsed"
    ? { reward: null, error: "unparsed", jams_judge: true }
    : { reward: -1, error: null, format_ok: false };

describe.each(Object.entries(SPOILS))("a candidate that causes %s", (code, spoil) => {
  it("is out, at whatever place, and the others have the rewards of a list without it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 26 }), fc.nat(), fc.nat(1_000), async (n, at, seed) => {
        forget(model);
        const others = upTo(n - 1);
        const place = at % n;
        const numbers = [...others.slice(0, place), 666, ...others.slice(place)];
        const reply = await judged(others);
        forget(model);
        spoil((state) => state.includes("answer 666"));
        const groups = [{ prompt: "p", rollouts: answers(numbers) }];
        const body = { spec: { ...specOf(), seed }, groups, deadline_ms: 60_000 };
        const spoilt = (await (await appOver(model).post("/v1/rewards", body)).json()) as Judged;
        const { rollouts } = spoilt.groups[0] as Judged["groups"][0];
        expect(rollouts[place]).toMatchObject(outOf(code));
        const rest = rollouts.flatMap(({ reward }, i) => (i === place ? [] : [reward]));
        expect(rest.every((reward) => reward !== null)).toBe(true);
        const ranks = (values: readonly (number | null)[]) =>
          values.map((value) => values.filter((other) => (other as number) < (value as number)).length);
        expect(ranks(rest)).toEqual(ranks(reply.rewards[0] ?? []));
        // The list, about two parts a level, two small questions, and the list without the candidate.
        expect(model.states.length).toBeLessThanOrEqual(
          (code === "unparsed" ? 2 : 1) * (6 + 2 * Math.ceil(Math.log2(n))),
        );
      }),
      { numRuns: 15 },
    );
  });

  it("is found beside another one", async () => {
    spoil((state) => /answer (?:666|777)/.test(state));
    const { groups } = await judged([...upTo(10), 666, ...upTo(10).map((i) => i + 10), 777, 25, 26]);
    groups[0]?.rollouts.forEach((rollout, i) => {
      if (i === 10 || i === 21) expect(rollout).toMatchObject(outOf(code));
      else expect(rollout.reward).toBeGreaterThanOrEqual(0);
    });
    expect(groups[0]?.selected).toBe(23);
  });

  // Length and unreadable answers need more evidence than one other answer.
  const isEnough = code === "judge_read_less" || code === "content_filtered";
  it(isEnough ? "is found beside only one other answer" : "is nobody beside only one other answer", async () => {
    if (!isEnough) {
      spoil((state) => state.includes("answer 666"));
      const { groups } = await judged([1, 666]);
      expect(groups[0]?.rollouts.map(({ reward }) => reward)).toEqual([null, null]);
      return;
    }
    spoil((state) => state.includes("answer 666"));
    for (const place of [0, 1]) {
      const { groups } = await judged(place === 0 ? [666, 1] : [1, 666]);
      expect(groups[0]?.rollouts[place]).toMatchObject(outOf(code));
      expect(groups[0]?.rollouts[1 - place]).toMatchObject({ reward: 1, error: null });
    }
  });

  it("is nobody if every list fails: all are null with the code, after a bounded number of calls", async () => {
    spoil(() => true);
    for (const n of [2, 3, 26]) {
      model.states.length = 0;
      const { groups } = await judged(upTo(n));
      for (const { reward, error } of groups[0]?.rollouts ?? []) expect([reward, error]).toEqual([null, code]);
      expect(model.states.length).toBeLessThanOrEqual(5 * n + 2);
    }
  });
});

it("a list that is too long for the window is null: nobody is blamed, nothing is cut", async () => {
  const long = upTo(26).map((i) => ({ text: `answer ${i} ${"word ".repeat(800)}` }));
  const body = { spec: specOf(), groups: [{ prompt: "p", rollouts: long }], deadline_ms: 60_000 };
  const { groups } = (await (await appOver(model).post("/v1/rewards", body)).json()) as Judged;
  for (const { reward, error } of groups[0]?.rollouts ?? []) {
    expect([reward, error]).toEqual([null, "context_exceeded"]);
  }
});

it.each([
  ["a missing option", { probabilities: { A: 1 } }, "verifier_bad_reply"],
  ["an option too many", { probabilities: { A: 0.5, B: 0.3, C: 0.1, D: 0.1 } }, "verifier_bad_reply"],
  ["a value that is not finite", { probabilities: { A: null, B: 0.5, C: 0.5 } }, "verifier_bad_reply"],
  ["only zeros", { probabilities: { A: 0, B: 0, C: 0 } }, "verifier_bad_reply"],
  ["a sum that no rounding explains", { probabilities: { A: 0.9132, B: 0.0112, C: 0 } }, "verifier_bad_reply"],
  ["no probabilities but a choice", { choice: "A" }, "verifier_bad_reply"],
])("%s is null with a code, never a number", async (_, answer, code) => {
  model.faults.spoils = (sent) => ({ ...sent, answers: { ...(sent.answers as object), "A.B.C": answer } });
  const { groups } = await judged([3, 1, 2]);
  for (const { reward, error } of groups[0]?.rollouts ?? []) expect([reward, error]).toEqual([null, code]);
});

it("a refused list is null content_filtered", async () => {
  model.faults.refuses = (question) => question.startsWith("Which answer does");
  const { groups } = await judged(upTo(6), {}, "openai");
  for (const { reward, error } of groups[0]?.rollouts ?? [])
    expect([reward, error]).toEqual([null, "content_filtered"]);
});

describe.each(["decide-pair", "decide-best"])("a ranking where %s is the default judge", (preset) => {
  const rank = async (n: number, kritai?: object) => {
    const app = appOver(model, "systemone", { default_spec: specOfJudge(preset) });
    const documents = upTo(n).map((i) => `answer ${i}`);
    const reply = await app.post("/v1/rerank", { query: "q", documents, ...(kritai && { kritai }) });
    expect(reply.status, await reply.clone().text()).toBe(200);
    return ((await reply.json()) as { results: { index: number }[] }).results.map(({ index }) => index);
  };
  const best = (n: number) => upTo(n).map((i) => n - i);

  it("asks about up to 26 documents one question in one call", async () => {
    for (const n of [2, 26]) {
      model.questions.length = 0;
      expect(await rank(n)).toEqual(best(n));
      expect(model.questions).toEqual([2]);
    }
  });

  it("compares more documents in pairs, and keeps to a schedule that the request names", async () => {
    expect(await rank(27)).toEqual(best(27));
    expect(model.questions.length).toBeGreaterThan(1);
    model.questions.length = 0;
    expect(await rank(8, { schedule: "round_robin" })).toEqual(best(8));
    expect(model.questions).toEqual([29]);
    model.questions.length = 0;
    await rank(30, { schedule: { name: "blocks", size: 26 } });
    expect(new Set(model.questions)).toEqual(new Set([2]));
  });
});
