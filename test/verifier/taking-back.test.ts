// Owns the edge's promises about questions that became obsolete, over the gateway itself: they end
// in the engine at once, are told as saved with what they cost, and nothing hangs on it.
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { SpecSchema } from "../../src/core/signals/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/signals/requests.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { type FakeCall, FakePool, voteFor } from "../gateway/fake-pool.ts";
import { inProcess } from "../gateway/in-process.ts";
import { fixedClock } from "../harness/fakes.ts";

type Ask = (path: string, init: RequestInit) => Promise<Response>;

/** A verifier whose requests go to `ask`, and the bodies of those that took questions back. */
function verifierOver(ask: Ask) {
  const cancels: { groups: { comparisons: number[] }[] }[] = [];
  const requests: { groups: { comparisons: { id: number }[] }[] }[] = [];
  const send = async (input: unknown, init: RequestInit = {}) => {
    const path = new URL(String(input)).pathname;
    (path.endsWith("/cancel") ? cancels : requests).push(JSON.parse(init.body as string));
    return ask(path, init);
  };
  const config = { url: "http://localhost", model: null, apiKey: null, fetch: send as typeof fetch };
  return { verifier: createGatewayVerifier(config, fixedClock()), cancels, requests };
}

const CALL = { form: "exact_match", model: null, temperature: 0.6, top_p: 1, max_tokens: 64, seed: 1 } as const;

/** A job of three pairs, of which the last two can be given up; its generations as they come. */
function judged(over: ReturnType<typeof verifierOver>, samples = 1) {
  const [second, third] = [new AbortController(), new AbortController()];
  const pairs = [
    { shown: [0, 1] },
    { shown: [0, 2], obsolete: second.signal },
    { shown: [1, 2], obsolete: third.signal },
  ];
  const job: VerifierJob = {
    ...{ to: "chat", preset: "code-select", question: "Which?", language: null, candidates: ["a", "b", "c"] },
    questions: pairs.map((pair, id) => ({ id, samples, ...pair })),
  };
  const told: Generation[] = [];
  const session = over.verifier.session({ ...CALL, signal: new AbortController().signal });
  const done = session.judge(job, (generation) => told.push(generation));
  return { done, told, second, third, session };
}

const answerAll = (pool: FakePool) => {
  for (const call of pool.open) call.answer(voteFor("A"));
};

/** The reply without the word by which questions are taken back, as of a gateway from before it. */
async function fromBefore(reply: Response): Promise<Response> {
  const words = new TransformStream<string, string>({
    transform: (text, out) => out.enqueue(text.replace(/,"cancel_id":"[^"]*"/, "")),
  });
  const body = reply.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const lines = body.pipeThrough(new TextDecoderStream()).pipeThrough(words).pipeThrough(new TextEncoderStream());
  return new Response(lines, reply);
}

describe("questions that became obsolete", () => {
  it("end in the engine at once, in one request, and are told as saved with the tokens of the cut", async () => {
    const pool = new FakePool(8);
    const over = verifierOver(inProcess(pool).ask);
    const { done, told, second, third, session } = judged(over, 2);
    await pool.until(({ in_flight }) => in_flight === 6);
    second.abort();
    third.abort();
    await pool.until(({ in_flight }) => in_flight === 2);
    expect(over.cancels.map(({ groups }) => groups)).toEqual([[{ group_id: "0", comparisons: [1, 2] }]]);
    expect(pool.calls.filter(({ aborted }) => aborted)).toHaveLength(4);
    answerAll(pool);
    await done;
    const of = (id: number) => told.filter(({ question }) => question === id);
    expect(of(0).map(({ answer, error, saved }) => [answer, error, saved])).toEqual(
      Array(2).fill(["\\boxed{A}", null, undefined]),
    );
    for (const id of [1, 2]) {
      expect(of(id).map(({ answer, error, saved }) => [answer, error, saved])).toEqual(
        Array(2).fill([null, null, true]),
      );
      expect(of(id).reduce((sum, { completion_tokens }) => sum + completion_tokens, 0)).toBe(2 * pool.cut_tokens);
    }
    expect(session.stats.requests).toBe(2);
  });

  it.each([
    ["a gateway from before it", 0],
    ["another gateway behind the same address", 1],
  ])("run to their end at %s, and are told as they came", async (who, asked) => {
    const pool = new FakePool(8);
    const [gateway, other] = [inProcess(pool), inProcess(new FakePool(1))];
    const over = verifierOver(async (path, init) => {
      if (path.endsWith("/cancel")) return other.ask(path, init);
      const reply = await gateway.ask(path, init);
      return asked === 0 ? fromBefore(reply) : reply;
    });
    const { done, told, second } = judged(over);
    await pool.until(({ in_flight }) => in_flight === 3);
    second.abort();
    pool.calls[0]?.answer(voteFor("A"));
    while (told.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(over.cancels, who).toHaveLength(asked);
    answerAll(pool);
    await done;
    expect(told.map(({ error, saved }) => [error, saved])).toEqual(Array(3).fill([null, undefined]));
  });

  it("are not asked again where the reply breaks off, and have not failed", async () => {
    const accepted = { type: "accepted", request_id: "r", generations: 3, queue_depth: 0 };
    const over = verifierOver(async () => {
      await null;
      if (over.requests.length === 1) second.abort();
      if (over.requests.length === 2) third.abort();
      const told = over.requests.length === 1 ? [accepted] : [accepted, { ...VERDICT, comparison: 0 }];
      return new Response(told.map((event) => `${JSON.stringify(event)}\n`).join(""), {
        headers: { "content-type": "application/x-ndjson" },
      });
    });
    const { done, told, second, third } = judged(over);
    await done;
    expect(over.requests.map(({ groups: [group] }) => group?.comparisons.length)).toEqual([3, 2]);
    const states = told.sort((a, b) => a.question - b.question).map(({ error, saved }) => [error, saved === true]);
    expect(states).toEqual([
      [null, false],
      [null, true],
      [null, true],
    ]);
  });
});

const VERDICT = {
  ...{ type: "verdict", group_id: "0", sample: 0, answer: "\\boxed{A}", thinking: "none", finish_reason: "stop" },
  ...{ prompt_tokens: 3, completion_tokens: 2, queue_ms: 0, first_token_ms: 1, total_ms: 2 },
};

const printed = (text: string) => [...text.matchAll(/value (\d+)/g)].map(([, value]) => Number(value));

/** Answers with some luck, those first that show the best, one after another. */
async function play(pool: FakePool, seed: number, over: { done: boolean }): Promise<void> {
  const isBest = ({ prompt }: FakeCall) => printed(prompt).includes(BEST);
  while (!over.done) {
    const next = pool.open.find(isBest) ?? pool.open[0];
    const [a = 0, b = 0] = printed(next?.prompt ?? "");
    const isLucky = createRandom(hashText("luck", seed, Math.min(a, b), Math.max(a, b)))() < 0.3;
    next?.answer(voteFor(a > b === isLucky ? "B" : "A"));
    // The reply, the look for what is obsolete, the request to take it back and the cut.
    for (let turn = 0; turn < 40 && !over.done; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const BEST = 9;

describe("a group under `winner`", () => {
  const scored = async (seed: number, ask: (pool: FakePool) => Ask) => {
    const pool = new FakePool(LIMITS.generations_in_flight_max);
    const rollouts = Array.from({ length: BEST + 1 }, (_, value) => ({ text: `value ${value}` }));
    const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts }] });
    const judge = { schedule: "winner", prompt: "text-select", both_orders: false };
    const spec = SpecSchema.parse({ candidate: { extract: "whole" }, judge, reward: "top1" });
    const { verifier } = verifierOver(ask(pool));
    const over = { done: false };
    const about = { request, spec, started_ms: 0, signal: new AbortController().signal };
    const reply = scoreBatch({ verifier, clock: fixedClock() }, about).finally(() => {
      over.done = true;
    });
    await play(pool, seed, over);
    const { verifier: use, ...group } = (await reply).reply.groups[0] as GroupResult;
    const cut = pool.calls.filter(({ aborted }) => aborted).length;
    expect(pool.in_flight).toBe(0);
    expect(use.completion_tokens).toBe(
      cut * pool.cut_tokens + (pool.calls.length - cut) * voteFor("A").completion_tokens,
    );
    return { cut, reply: { ...group, generations: use.generations, saved: use.saved, why: use.why } };
  };

  it("ends what cannot matter in the engine, counts its tokens, and comes to the same reply", async () => {
    let cut = 0;
    for (let seed = 0; seed < 10; seed++) {
      const ended = await scored(seed, (pool) => inProcess(pool).ask);
      const whole = await scored(seed, (pool) => {
        const { ask } = inProcess(pool);
        return async (path, init) => fromBefore(await ask(path, init));
      });
      expect(whole.cut).toBe(0);
      expect(ended.reply).toEqual(whole.reply);
      cut += ended.cut;
    }
    expect(cut).toBeGreaterThan(0);
  });
});
