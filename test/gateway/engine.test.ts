// Holds what one generation through the engine pool guarantees: the body sent, the answer
// assembled, faults named and retried, cuts and cancels.

import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import type { EngineAnswer, EngineCall } from "../../gpu-backend/gateway/engines/port.ts";
import { boxAnchor } from "../../src/core/judges/parsers/boxed.ts";
import { ANSWER_SEGMENT_CHARS } from "../../src/core/wire/verify-protocol.ts";
import {
  answer,
  chunk,
  contextLength,
  cut,
  cutRefusal,
  document,
  event,
  raw,
  reset,
  silence,
  stall,
  status,
  usageChunk,
} from "../harness/mock-behaviours.ts";
import type { Behaviour, MockVerifier } from "../harness/mock-verifier.ts";
import { deadUrl } from "../verifier/setup.ts";
import { callWith, HEALTH_MS, startGaugedEngine, waitsAtOnce, withPool } from "./engine-setup.ts";

type Got = EngineAnswer & { requests: number; mock: MockVerifier };

/**
 * What a call comes to when the engine behaves so; a list: one behaviour a request, the last one
 * for all further.
 */
async function one(behaviour: Behaviour | Behaviour[], more: Partial<EngineCall> = {}): Promise<Got> {
  const list = Array.isArray(behaviour) ? behaviour : [behaviour];
  let got: Got | undefined;
  await withPool(
    ({ index }) => list[Math.min(index, list.length - 1)] as Behaviour,
    async (pool, [mock]) => {
      if (mock === undefined) throw new Error("no mock");
      const answered = await pool.generate(callWith(more));
      got = { ...answered, requests: mock.log.length, mock };
    },
    { schedule: waitsAtOnce },
  );
  if (got === undefined) throw new Error("no answer");
  return got;
}

describe("the question", () => {
  it("carries the call's settings and asks for a stream with usage; the model is the call's, else the pool's", async () => {
    await withPool(
      () => answer("\\boxed{A}"),
      async (pool, [mock]) => {
        await pool.generate(callWith({ seed: 7, max_tokens: 99, temperature: 0.25, top_p: 0.5 }));
        await pool.generate(callWith({ model: "other" }));
        expect(mock?.log[0]?.headers).toMatchObject({ authorization: "Bearer k", "content-type": "application/json" });
        expect(mock?.log.map(({ body }) => body)).toMatchObject([
          {
            model: "mock-model",
            seed: 7,
            max_tokens: 99,
            temperature: 0.25,
            top_p: 0.5,
            stream: true,
            stream_options: { include_usage: true },
            messages: [{ role: "user", content: "which?" }],
          },
          { model: "other" },
        ]);
        expect(mock?.log[0]?.body).not.toHaveProperty("logprobs");
        expect(mock?.log[0]?.body).not.toHaveProperty("rid");
      },
      { apiKey: "k" },
    );
  });

  it("goes over kept connections: a thousand answers one after another need one", async () => {
    await withPool(
      () => answer("x"),
      async (pool, [mock]) => {
        for (let i = 0; i < 1000; i++) await pool.generate(callWith());
        expect(mock?.counters.connections).toBeLessThanOrEqual(2);
      },
      { mock: { keep_bodies: false } },
    );
  });

  it("goes to engines that metrics tell apart, also behind one host", async () => {
    const urls = ["http://127.0.0.1:1/a/v1", "http://127.0.0.1:1/b", "http://127.0.0.1:2"];
    const pool = createEnginePool({ urls, model: "m", apiKey: null, schedule: waitsAtOnce });
    const named = pool.metrics().matchAll(/^kritai_engine_cap\{engine="([^"]+)"\}/gm);
    expect([...named].map(([, label]) => label)).toEqual(["127.0.0.1:1/a", "127.0.0.1:1/b", "127.0.0.1:2"]);
    await pool.close();
  });

  it("is refused before it is sent by a URL or a key that cannot be used", () => {
    const config = { model: "m", apiKey: null, schedule: waitsAtOnce };
    expect(() => createEnginePool({ ...config, urls: [] })).toThrow(TypeError);
    expect(() => createEnginePool({ ...config, urls: ["ftp://127.0.0.1"] })).toThrow(TypeError);
    expect(() => createEnginePool({ ...config, urls: ["http://127.0.0.1:1"], apiKey: "a\nb" })).toThrow(TypeError);
  });
});

describe("the answer", () => {
  const thought = { thinking: "closed", finish_reason: "stop", error: null };
  it.each([
    ["plain", answer("so \\boxed{A}"), { answer: "so \\boxed{A}", thinking: "none", finish_reason: "stop" }],
    ["after inline thoughts", answer("<think>\\boxed{B}</think>\n\\boxed{A}"), { answer: "\n\\boxed{A}", ...thought }],
    [
      "after Mistral's thoughts",
      answer("[THINK]\\boxed{B}[/THINK]\n\\boxed{A}"),
      { answer: "\n\\boxed{A}", ...thought },
    ],
    [
      "in Harmony's last channel",
      answer("<|channel|>analysis<|message|>\\boxed{B}<|end|><|start|>assistant<|channel|>final<|message|>\\boxed{A}"),
      { answer: "\\boxed{A}", ...thought },
    ],
    ["after a close without an open", answer("hm</think> a </think>\\boxed{A}"), { answer: "\\boxed{A}", ...thought }],
    ["after separate reasoning", answer("\\boxed{A}", { reasoning: "hm" }), { answer: "\\boxed{A}", ...thought }],
    [
      "inside thoughts that never end",
      answer("<think>\\boxed{B}", { finish_reason: "length" }),
      { answer: "", thinking: "unclosed", finish_reason: "length", error: null },
    ],
    [
      "inside reasoning that never ends",
      answer("", { reasoning: "\\boxed{B}", finish_reason: "length" }),
      { answer: "", thinking: "unclosed", finish_reason: "length", error: null },
    ],
    ["of a server that does not stream", document({ content: "\\boxed{A}" }), { answer: "\\boxed{A}", error: null }],
  ])("%s is the segment behind the last closing tag", async (_, behaviour, expected) => {
    expect(await one(behaviour)).toMatchObject(expected);
  });

  it("keeps the end of a segment that is too long", async () => {
    const text = `</think>${Array.from({ length: 1500 }, (_, i) => `n${i}`).join(" ")}\\boxed{A}`;
    const got = await one(answer(text, { piece: 500 }));
    expect(got.answer).toBe(text.slice(-ANSWER_SEGMENT_CHARS));
  });

  it("brings usage, and times from the call", async () => {
    let at = 100;
    await withPool(
      () => answer("\\boxed{A}", { usage: { prompt_tokens: 40, completion_tokens: 9 } }),
      async (pool) => {
        const got = await pool.generate(callWith());
        expect(got).toMatchObject({ prompt_tokens: 40, completion_tokens: 9, retryable: false, soft: null });
        expect(got.first_token_ms).toBeGreaterThan(0);
        expect(got.total_ms).toBeGreaterThan(got.first_token_ms ?? Number.POSITIVE_INFINITY);
      },
      { now: () => at++ },
    );
  });
});

describe("a fault", () => {
  const fine = answer("\\boxed{A}");
  it.each([
    ["connection reset before the headers", reset()],
    ["429", status(429)],
    ["429 with a wait", status(429, { "retry-after": "3" })],
    ["503", status(503)],
    ["502", status(502)],
    ["500", status(500)],
    ["connection reset within the answer", cut("reset")],
    ["reply that ends without the answer's end", cut("end")],
    ["generation aborted by the engine", answer("x", { finish_reason: "abort" })],
    ["429 said in mid-stream", raw([chunk({ content: "x" }), event({ error: { message: "busy", code: 429 } })])],
    ["error event of the engine", raw([chunk({ content: "x" }), event({ error: { message: "dead", code: 500 } })])],
  ])("%s: asked again, and nothing is lost", async (_, behaviour) => {
    expect(await one([behaviour, behaviour, fine])).toMatchObject({ answer: "\\boxed{A}", error: null, requests: 3 });
  });

  it.each([
    ["429", status(429), "verifier_overloaded", true, 3],
    ["503", status(503), "verifier_overloaded", true, 3],
    ["504", status(504), "verifier_unavailable", true, 3],
    ["cut", cut("end"), "verifier_bad_reply", false, 3],
    ["429 that asks for minutes", status(429, { "retry-after": "300" }), "verifier_overloaded", true, 1],
    ["400", status(400), "verifier_rejected", false, 1],
    ["400, context length", contextLength(), "context_exceeded", false, 1],
    ["400, content filter", status(400, {}, { code: "content_filter" }), "content_filtered", false, 1],
    ["400 that breaks off", cutRefusal(), "context_exceeded", false, 1],
    ["413", status(413), "context_exceeded", false, 1],
    [
      "answer cut by the server's filter",
      answer("", { finish_reason: "content_filter" }),
      "content_filtered",
      false,
      1,
    ],
    ["404", status(404), "verifier_rejected", false, 1],
    ["redirect", status(307, { location: "http://127.0.0.1:1/" }), "verifier_bad_reply", false, 1],
    ["malformed event", raw([event("{nonsense")]), "verifier_bad_reply", false, 1],
    ["400 error event", raw([event({ error: { code: 400 } })]), "verifier_rejected", false, 1],
  ])("%s every time is named, after the retries that can help", async (_, behaviour, error, retryable, requests) => {
    expect(await one(behaviour)).toMatchObject({ answer: "", finish_reason: null, error, retryable, requests });
  });

  it("of nobody listening is named", async () => {
    const urls = [await deadUrl()];
    const pool = createEnginePool({ urls, model: "m", apiKey: null, schedule: waitsAtOnce });
    expect(await pool.generate(callWith())).toMatchObject({ error: "verifier_unavailable", retryable: true });
    await pool.close();
  });

  it("of a kept connection that was closed meanwhile costs no retry", async () => {
    await withPool(
      ({ index }) => (index === 1 ? reset() : answer("x")),
      async (pool, [mock]) => {
        await pool.generate(callWith());
        expect(await pool.generate(callWith())).toMatchObject({ answer: "x", error: null });
        expect(mock?.log).toHaveLength(3);
        expect(pool.metrics()).toContain("kritai_generation_retries_total 0");
      },
    );
  });

  it("counts the tokens of what was generated in vain", async () => {
    const lost = cut("reset", [chunk({ content: "a" }), chunk({ content: "b" }), chunk({ content: "c" })]);
    const got = await one([lost, answer("x", { usage: { prompt_tokens: 5, completion_tokens: 2 } })]);
    expect(got).toMatchObject({ answer: "x", prompt_tokens: 5, completion_tokens: 5 });
  });
});

describe("cancelling", () => {
  it.each([
    ["before the headers", silence(), "cancelled"],
    ["within the answer", stall([chunk({ content: "a" }), chunk({ content: "b" })]), "cancelled"],
    ["within the answer", stall(), "deadline"],
  ])("%s closes the engine's connection at once", async (_, behaviour, reason) => {
    await withPool(
      () => behaviour,
      async (pool, [mock]) => {
        const abort = new AbortController();
        const running = pool.generate(callWith({ signal: abort.signal }));
        await mock?.until(({ log }) => log.length === 1);
        abort.abort(reason);
        expect(await running).toMatchObject({ error: reason, answer: "", finish_reason: null });
        await mock?.until(({ counters }) => counters.client_closed === 1);
        expect(pool.in_flight).toBe(0);
      },
    );
  });

  it("an aborted call is never sent", async () => {
    const got = await one(silence(), { signal: AbortSignal.abort("deadline") });
    expect(got).toMatchObject({ error: "deadline", requests: 0 });
  });

  it("ends a wait for room and a wait for a retry, without another request", async () => {
    await withPool(
      ({ index }) => (index === 0 ? status(429, { "retry-after": "20" }) : silence()),
      async (pool, [mock], timers) => {
        const abort = new AbortController();
        const retrying = pool.generate(callWith({ signal: abort.signal }));
        await timers.armed(20_000);
        const blocking = pool.generate(callWith());
        const waiting = pool.generate(callWith({ signal: abort.signal }));
        await mock?.until(({ log }) => log.length === 2);
        abort.abort("cancelled");
        expect(await retrying).toMatchObject({ error: "cancelled" });
        expect(await waiting).toMatchObject({ error: "cancelled" });
        expect(mock?.log).toHaveLength(2);
        await pool.close();
        expect(await blocking).toMatchObject({ error: "verifier_unavailable" });
      },
      { maxInFlight: 1 },
    );
  });

  it("tells SGLang by the request's own rid", async () => {
    const engine = await startGaugedEngine("sglang:num_queue_reqs 0\n");
    const pool = createEnginePool({ urls: [engine.url], model: "m", apiKey: null, kind: "sglang" });
    const abort = new AbortController();
    const running = [1, 2].map((seed) => pool.generate(callWith({ seed, signal: abort.signal })));
    const other = pool.generate(callWith({ seed: 3 }));
    await engine.opened(3);
    abort.abort("cancelled");
    await engine.abortsSeen(2);
    const rids = engine.bodies.map(({ rid }) => rid);
    expect(new Set(rids).size).toBe(3);
    expect(new Set(engine.aborted)).toEqual(
      new Set(engine.bodies.filter(({ seed }) => seed !== 3).map(({ rid }) => rid)),
    );
    engine.release();
    expect((await Promise.all(running)).map(({ error }) => error)).toEqual(["cancelled", "cancelled"]);
    expect(await other).toMatchObject({ answer: "\\boxed{A}", error: null });
    await pool.close();
    await engine.close();
  });
});

describe("a generation without end", () => {
  const endless = (piece: (i: number) => string): Behaviour => {
    const parts = Array.from({ length: 4000 }, (_, i) => piece(i));
    return (reply) => {
      reply.head(200, { "content-type": "text/event-stream" });
      reply.write(parts.join(""));
    };
  };

  it("is cut at its budget where the engine ignores it, and reported as `length`", async () => {
    const got = await one(
      endless((i) => chunk({ content: `word ${i * 7919} ` })),
      { max_tokens: 50 },
    );
    expect(got).toMatchObject({ finish_reason: "length", completion_tokens: 51, error: null, requests: 1 });
    await got.mock.until(({ counters }) => counters.client_closed === 1);
  });

  it("is cut where the engine's own count passes the budget", async () => {
    const parts = [chunk({ content: "long text" }), usageChunk(3, 700), chunk({ content: "more" })];
    expect(await one(stall(parts), { max_tokens: 500 })).toMatchObject({
      finish_reason: "length",
      completion_tokens: 700,
    });
  });

  it.each([
    ["reasoning", (i: number) => chunk({ reasoning: `Wait, "no". ${i % 3}\n` })],
    ["reasoning_content", (i: number) => chunk({ reasoning_content: `Wait, \\"no". ${i % 3}\n` })],
    ["content", (i: number) => chunk({ content: `${i === 0 ? "<think>" : ""}Wait, "no". ${i % 3}\n` })],
  ])("that repeats itself in %s is cut and reported as `repetition`", async (_, piece) => {
    const got = await one(endless(piece), { max_tokens: 100_000 });
    expect(got).toMatchObject({ finish_reason: "repetition", thinking: "unclosed", answer: "", error: null });
    expect(got.completion_tokens).toBeLessThan(600);
    await got.mock.until(({ counters }) => counters.client_closed === 1);
  });

  it("that stands still after its first token is given up and asked again", async () => {
    await withPool([({ index }) => (index === 0 ? stall() : answer("x"))], async (pool, [mock], timers) => {
      let at = 0;
      const running = pool.generate(callWith());
      await mock?.until(({ log }) => log[0]?.status === 200);
      // Until the stalled stream is given up, its retry's short wait is not armed.
      while (!timers.pending.some(({ ms }) => ms === 50) && at++ < 30) await timers.turn(HEALTH_MS);
      await timers.armed(50);
      expect(at).toBeGreaterThanOrEqual(15);
      timers.fire(50);
      expect(await running).toMatchObject({ answer: "x", error: null });
    });
  });
});

describe("soft verdicts", () => {
  const token = (text: string, top: Record<string, number>) => ({
    token: text,
    logprob: 0,
    top_logprobs: Object.entries(top).map(([token, logprob]) => ({ token, logprob })),
  });
  const withTokens = (content: string, ...tokens: object[]) =>
    event({ choices: [{ index: 0, delta: { content }, logprobs: { content: tokens }, finish_reason: null }] });

  const anchor = boxAnchor(["A", "B"]);

  it("ask for twenty alternatives and bring the letters' probabilities behind the box", async () => {
    const { soft, mock } = await one(
      raw([
        withTokens("\\boxed{", token("\\boxed", {}), token("{", { "{": 0 })),
        withTokens("A", token("A", { A: Math.log(0.6), " B": Math.log(0.2), C: -3 })),
        withTokens("}", token("}", { "}": 0 })),
        chunk({}, "stop"),
      ]),
      { anchor },
    );
    expect(mock.log[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 20 });
    expect(soft?.letters.A).toBeCloseTo(0.75, 12);
    expect(soft?.letters.B).toBeCloseTo(0.25, 12);
    expect(soft).toMatchObject({ coverage: expect.closeTo(0.8, 12), written: "A" });
  });

  it("fail where the engine gave none, by a code that asking again does not mend", async () => {
    const got = await one(answer("\\boxed{A}"), { anchor });
    expect(got).toMatchObject({ soft: null, error: "logprobs_unavailable", retryable: false });
    expect(got.mock.log).toHaveLength(1);
  });

  it("are never of thoughts", async () => {
    const thought = [
      withTokens("<think>\\boxed{", token("<think>\\boxed{", {})),
      withTokens("A", token("A", { A: 0 })),
    ];
    const after = withTokens("</think>x", token("</think>", {}), token("x", {}));
    const closed = await one(raw([...thought, after, chunk({}, "stop")]), { anchor });
    expect(closed).toMatchObject({ answer: "x", soft: null });
    const open = await one(raw([...thought, chunk({}, "stop")]), { anchor });
    expect(open).toMatchObject({ thinking: "unclosed", soft: null });
  });
});
