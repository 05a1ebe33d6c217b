// Holds what becomes of one generation through the engine pool that fails or is given up: faults
// named and retried, cancels passed on.
import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import {
  answer,
  chunk,
  contextLength,
  cut,
  cutRefusal,
  event,
  raw,
  reset,
  silence,
  stall,
  status,
} from "../harness/mock-behaviours.ts";
import { deadUrl } from "../verifier/setup.ts";
import { callWith, one, startGaugedEngine, waitsAtOnce, withPool } from "./engine-setup.ts";

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
    ["408", status(408), "verifier_unavailable", true, 3],
    ["499", status(499), "verifier_unavailable", true, 3],
    ["524", status(524), "verifier_unavailable", true, 3],
    ["529", status(529), "verifier_overloaded", true, 3],
    ["400 for a failed upstream", status(400, {}, { code: 2005 }), "verifier_unavailable", true, 3],
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
    ["404", status(404), "verifier_misconfigured", false, 1],
    ["redirect", status(307, { location: "http://127.0.0.1:1/" }), "verifier_bad_reply", false, 1],
    ["malformed event", raw([event("{nonsense")]), "verifier_bad_reply", false, 1],
    ["400 error event", raw([event({ error: { code: 400 } })]), "verifier_rejected", false, 1],
  ])("%s every time is named, after the retries that can help", async (_, behaviour, error, retryable, requests) => {
    expect(await one(behaviour)).toMatchObject({ answer: "", finish_reason: null, error, retryable, requests });
  });

  it("of nobody listening is named", async () => {
    const urls = [await deadUrl()];
    const pool = createEnginePool({ urls, model: "m", apiKey: null, timers: waitsAtOnce });
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
