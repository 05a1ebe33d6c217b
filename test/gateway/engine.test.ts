// Holds what one generation through the engine pool guarantees: the body sent, the answer
// assembled, what is cut.
import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { gatewayTimers } from "../../gpu-backend/gateway/timers/gateway-timers.ts";
import { boxAnchor } from "../../src/core/judges/parsers/boxed.ts";
import { ANSWER_SEGMENT_CHARS } from "../../src/core/wire/verify-protocol.ts";
import { answer, chunk, document, event, raw, stall, usageChunk } from "../harness/mock-behaviours.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { callWith, HEALTH_MS, one, waitsAtOnce, withPool } from "./engine-setup.ts";

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
    const pool = createEnginePool({ urls, model: "m", apiKey: null, timers: waitsAtOnce });
    const named = pool.metrics().matchAll(/^kritai_engine_cap\{engine="([^"]+)"\}/gm);
    expect([...named].map(([, label]) => label)).toEqual(["127.0.0.1:1/a", "127.0.0.1:1/b", "127.0.0.1:2"]);
    await pool.close();
  });

  it("is refused before it is sent by a URL or a key that cannot be used", () => {
    const config = { model: "m", apiKey: null, timers: waitsAtOnce };
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
      { timers: { ...gatewayTimers, after: () => () => {}, now: () => at++ } },
    );
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
      while (!timers.pending.some(({ ms }) => ms === 50) && at++ < 100) await timers.turn(HEALTH_MS);
      await timers.armed(50);
      expect(at).toBeGreaterThanOrEqual(64);
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
