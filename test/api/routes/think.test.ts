// `judge.think` over HTTP: both askings in engines' requests by either protocol, what a reply tells,
// what is refused by which field, and never a wrong budget from a gateway that does not know it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import type { Verifier } from "../../../src/scoring/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { event, raw } from "../../harness/mock-behaviours.ts";
import { startMockGateway } from "../../harness/mock-gateway.ts";
import { type MockRequest, type MockVerifier, startMockVerifier } from "../../harness/mock-verifier.ts";
import { fenced, problemOf, setUp } from "./harness.ts";

const clock = { now: () => performance.now(), date: () => new Date() };
const [FIRST, THEN] = [20, 200];
const THINK = { think: { first: FIRST, then: THEN } };

/** A pair that shows the text `hard` is thought about for longer than FIRST tokens. */
const HARD = 50;

interface Sent {
  max_tokens: number;
  seed: number;
  messages: { content: string }[];
}

interface Asked {
  max_tokens: number;
  seed: number;
  text: string;
}

let engine: MockVerifier;
let gateway: Gateway;
let verifiers: Record<"openai" | "verify", Verifier>;
let asked: Asked[] = [];

/** Thinks a token at a time until its tokens are spent, then says that the longer text is better. */
function thinking({ body }: Pick<MockRequest, "body">) {
  const { max_tokens, seed, messages } = body as unknown as Sent;
  const text = messages.map(({ content }) => content).join("\n");
  asked.push({ max_tokens, seed, text });
  const tokens = text.includes("hard") ? HARD : 3;
  const shown = [...text.matchAll(/(?:easy|hard)x*/g)].map(([one]) => one.length);
  const said = `</think>\\boxed{${(shown[0] as number) > (shown[1] as number) ? "A" : "B"}}`;
  const cut = tokens + 1 > max_tokens;
  const pieces = ["<think>", ...Array.from({ length: Math.min(tokens, max_tokens) - 1 }, (_, k) => `${k} `)];
  const deltas = [...pieces, ...(cut ? [] : [said])].map((content) =>
    event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  );
  const usage = { prompt_tokens: 5, completion_tokens: cut ? max_tokens : tokens + 1 };
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: cut ? "length" : "stop" }], usage });
  return raw([...deltas, end, event("[DONE]")]);
}

beforeAll(async () => {
  engine = await startMockVerifier(thinking, { question_path: "/v1/chat/completions" });
  const pool = createEnginePool({ urls: [engine.url], model: "judge", apiKey: null, maxInFlight: 16 });
  gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  verifiers = {
    openai: createOpenAiVerifier({ url: engine.url, model: "judge", apiKey: null }, clock),
    verify: createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock),
  };
});
afterAll(async () => {
  await gateway.close(0);
  await engine.close();
});

const TEXTS = ["easy", "easyx", "hardxx"];

async function judged(verifier: Verifier, judge: Record<string, unknown>, texts: readonly string[] = TEXTS) {
  asked = [];
  const app = setUp({ verifier, clock });
  const groups = [{ prompt: "Which?", rollouts: texts.map((text) => ({ text: fenced(text) })) }];
  const response = await app.post("/v1/rewards", { spec: { judge }, groups });
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const [group] = reply.groups;
  return { group: group as NonNullable<typeof group>, app, id: `${reply.request_id}.0` };
}

describe.each(["openai", "verify"] as const)("through %s", (protocol) => {
  test("what was cut is asked again under its own seed with all tokens, and decides", async () => {
    const { group } = await judged(verifiers[protocol], THINK);
    expect(group.status).toBe("ok");
    expect(group.rollouts.map(({ reward, unparsed }) => [reward, unparsed])).toEqual([
      [0, 0],
      [0.5, 0],
      [1, 0],
    ]);
    const hard = asked.filter(({ text }) => text.includes("hard"));
    expect(asked.map(({ max_tokens }) => max_tokens).sort()).toEqual([FIRST, FIRST, FIRST, THEN, THEN].sort());
    expect(new Set(hard.map(({ seed }) => seed)).size).toBe(2);
    const { comparisons, generations, parsed, unparsed, failed, cut_short, completion_tokens } = group.verifier;
    expect({ comparisons, generations, parsed, unparsed, failed, cut_short }).toEqual({
      ...{ comparisons: 3, generations: 5, parsed: 3, unparsed: 0, failed: 0, cut_short: 2 },
    });
    expect(completion_tokens).toBe(4 + 2 * FIRST + 2 * (HARD + 1));
    expect(group.metrics.parse_rate).toBe(1);
  });

  test("what no tokens suffice for is asked again as reask says, with all of them, and is unparsed", async () => {
    const judge = { think: { first: 5, then: 10 }, reask: 2 };
    const { group } = await judged(verifiers[protocol], judge, ["easy", "hardx"]);
    expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([5, 10, 10, 10]);
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(3);
    expect(group.rollouts.map(({ reward, error, unparsed }) => [reward, error, unparsed])).toEqual([
      [null, "unparsed", 3],
      [null, "unparsed", 3],
    ]);
    expect(group.verifier).toMatchObject({ comparisons: 1, generations: 4, parsed: 0, unparsed: 3, cut_short: 1 });
  });
});

describe("a gateway from before it", () => {
  test("refuses the question, and the reward is null: no answer has another budget than its spec says", async () => {
    const known = "id order samples first_sample stop".split(" ");
    const old = await startMockGateway((request) => {
      const strange = request.groups.some(({ comparisons }) =>
        comparisons.some((one) => Object.keys(one).some((field) => !known.includes(field))),
      );
      if (!strange) throw new Error("it should have been told the tokens of each comparison");
      const problem = { type: "urn:kritai:error:invalid_request", title: "t", status: 400, code: "invalid_request" };
      return (reply) => reply.whole(400, { "content-type": "application/problem+json" }, JSON.stringify(problem));
    });
    const verifier = createGatewayVerifier({ url: old.url, model: null, apiKey: null }, clock);
    const { group } = await judged(verifier, THINK);
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual(
      Array(3).fill([null, "verifier_rejected"]),
    );
    expect(old.requests).toHaveLength(1);
    await old.close();
  });
});

describe("a spec", () => {
  const check = async (judge: Record<string, unknown>, n = 4) => {
    const response = await setUp().post(`/v1/specs/check?n=${n}`, { judge });
    if (response.status !== 200) throw new Error(JSON.stringify(await response.json()));
    return (await response.json()) as { spec: { judge: Record<string, unknown> }; cost: Record<string, number> };
  };

  test("is told in its canonical form, whichever of the two says the most tokens", async () => {
    const canonical = { max_tokens: THEN, think: { first: FIRST, then: THEN } };
    for (const judge of [THINK, { ...THINK, max_tokens: THEN }, { think: { first: FIRST }, max_tokens: THEN }]) {
      expect((await check(judge)).spec.judge).toMatchObject(canonical);
    }
    expect((await check({ think: { first: FIRST } })).spec.judge).toMatchObject({
      max_tokens: 16_384,
      think: { first: FIRST, then: 16_384 },
    });
    expect((await check({})).spec.judge).not.toHaveProperty("think");
  });

  test("costs both askings at most", async () => {
    expect((await check({ ...THINK, both_orders: true })).cost).toMatchObject({
      generations: 12,
      generations_max: 24,
      completion_tokens_max: 12 * (FIRST + THEN),
    });
    const one = (await check(THINK)).cost;
    expect(one).toMatchObject({ generations: 6, generations_expected: 6, completion_tokens_expected: 6 * FIRST });
    expect((await check({ ...THINK, budget: { tokens: 1000 } })).cost.completion_tokens_max).toBe(4 * 220);
  });

  test("counts both askings where a request is limited", async () => {
    const rollouts = Array.from({ length: 10 }, (_, i) => ({ text: fenced("x".repeat(i + 1)) }));
    const body = (judge: object) => ({ spec: { judge }, groups: [{ prompt: "p", rollouts }] });
    const { detail } = await problemOf(
      await setUp().post("/v1/rewards", body({ ...THINK, samples: 64, both_orders: true })),
    );
    expect(detail).toContain(`${45 * 2 * 64 * 2} generations; the limit generations_openai_max is 8192`);
    const budget = { ...THINK, budget: { tokens: 9 * (FIRST + THEN) - 1 } };
    const refused = await problemOf(await setUp().post("/v1/rewards", body(budget)));
    expect(refused.detail).toContain("at most think.first + think.then = 220 tokens each");
  });

  test.each([
    [{ think: { first: 200, then: 200 } }, "spec.judge.think.first", "less than think.then = 200"],
    [{ think: { first: 20_000 } }, "spec.judge.think.first", "less than think.then = 16384"],
    [{ think: { first: 0, then: 9 } }, "spec.judge.think.first", "1"],
    [{ think: { first: 9, then: 131_073 } }, "spec.judge.think.then", "max_tokens_max"],
    [{ think: { then: 9 } }, "spec.judge.think.first", "required"],
    [{ think: { first: 9, then: 90 }, max_tokens: 91 }, "spec.judge.max_tokens", "think.then is 90"],
    [
      { think: { first: 9 }, preset: "letter-select" },
      "spec.judge.think",
      "letter-select asks for an answer of one word",
    ],
  ])("is refused by field: %j", async (judge, path, words) => {
    const response = await setUp().post("/v1/rewards", {
      spec: { judge },
      groups: [{ prompt: "p", rollouts: [{ text: fenced("a") }, { text: fenced("b") }] }],
    });
    const { errors = [] } = await problemOf(response);
    expect(errors[0]).toMatchObject({ path, message: expect.stringContaining(words) });
  });

  test("with a signal that looks at one candidate has no such field", async () => {
    const signals = { q: { kind: "grade", judge: { preset: "selene", think: { first: 9, then: 90 } } } };
    const { errors = [] } = await problemOf(await setUp().post("/v1/specs/check", { signals, reward: "q" }));
    expect(errors[0]?.path).toBe("signals.q.judge.think");
  });
});
