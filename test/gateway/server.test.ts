// POST /v1/verify over a pool without engines: events, refusals, heartbeats, deadlines,
// backpressure, cancellation.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Gateway, type GatewayOptions, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { GATEWAY_LIMITS } from "../../gpu-backend/gateway/limits/gateway-limits.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { VerifyEvent } from "../../src/core/wire/verify-protocol.ts";
import { VirtualTime } from "../harness/virtual-time.ts";
import { FakePool, voteFor } from "./fake-pool.ts";
import { inProcess } from "./in-process.ts";
import { collect, eventsOf, whole } from "./replies.ts";
import { asked, comparison, group, only, pairs, post, reported, request } from "./requests.ts";

const started: Gateway[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(started.splice(0).map((gateway) => gateway.close(0)));
});

async function start(pool: FakePool, more: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await startGateway({ pool, host: "127.0.0.1", port: 0, ...more });
  started.push(gateway);
  return gateway;
}

const one = request([group("g", 2, pairs(2))]);
/** The second of them has no number. */
const LAST_SAMPLES = { first_sample: Number.MAX_SAFE_INTEGER, samples: 2 };

describe("POST /v1/verify", () => {
  it("answers 200 and `accepted` before any engine has, then each verdict as it comes, `done` last", async () => {
    const pool = new FakePool(8);
    const { url } = await start(pool);
    const asks = request([group("g", 3, pairs(3, { samples: 2 }))], { soft: true });
    const soft = { letters: { A: 0.25, B: 0.75 }, coverage: 0.9, written: "B" };
    const response = await fetch(`${url}/v1/verify`, post(asks, { "x-request-id": "edge-1" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    expect(response.headers.get("x-request-id")).toBe("edge-1");
    expect(response.headers.get("keep-alive")).toBe("timeout=75");
    const events = eventsOf(response.body);
    expect((await events.next()).value).toEqual({
      type: "accepted",
      request_id: "edge-1",
      generations: 6,
      queue_depth: 0,
    });
    pool.calls[3]?.answer(voteFor("B", { soft }));
    const verdict = (await events.next()).value;
    expect(verdict).toMatchObject({
      type: "verdict",
      group_id: "g",
      comparison: 1,
      sample: 1,
      answer: "\\boxed{B}",
      thinking: "closed",
      finish_reason: "stop",
      prompt_tokens: 100,
      completion_tokens: 10,
      first_token_ms: 1,
      total_ms: 2,
      ...soft,
    });
    expect((verdict as { queue_ms: number }).queue_ms).toBeGreaterThanOrEqual(0);
    for (const call of pool.open) call.answer(voteFor("A"));
    const rest = await collect(events);
    expect(rest.map(({ type }) => type)).toEqual([...Array(5).fill("verdict"), "done"]);
    expect(reported([verdict as VerifyEvent, ...rest])).toEqual(asked(asks));
  });

  it("names the fields that are at fault, in a problem document", async () => {
    const { ask } = inProcess(new FakePool(1));
    const wrong = {
      ...request([group("g", 2, [comparison(0, [0, 2]), comparison(0, [1, 1])]), group("g", 2, pairs(2))]),
      deadline_ms: 0,
      colour: "red",
    };
    const response = await ask("/v1/verify", post(wrong));
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const problem = (await response.json()) as { code: string; errors: { path: string }[]; request_id: string };
    expect(problem).toMatchObject({ code: "invalid_request", retryable: false, status: 400 });
    expect(problem.request_id).toBe(response.headers.get("x-request-id"));
    expect(problem.errors.map(({ path }) => path).sort()).toEqual([
      "colour",
      "deadline_ms",
      "groups",
      "groups[0].comparisons",
      "groups[0].comparisons[0].order",
      "groups[0].comparisons[1].order",
    ]);
    const twice = await ask("/v1/verify", post(request([group("g", 2, pairs(2)), group("g", 2, pairs(2))])));
    expect(await twice.json()).toMatchObject({ errors: [{ path: "groups", message: "group_ids must be distinct" }] });
  });

  it.each([
    ["invalid_json", 400, post("{")],
    ["invalid_json", 400, post("")],
    ["invalid_encoding", 400, { ...post(""), body: new Uint8Array([0x22, 0xff, 0x22]) }],
    ["unsupported_media_type", 415, post("{}", { "content-type": "text/plain" })],
    ["unsupported_media_type", 415, post("{}", { "content-encoding": "gzip" })],
    ["unknown_prompt", 400, post({ ...one, prompt: "none" })],
    ["invalid_request", 400, post(request([group("g", 2, [comparison(0, [0, 1], LAST_SAMPLES)])]))],
    ["invalid_request", 400, post({ ...one, soft: true, form: "scores" })],
    ["invalid_request", 400, post(request([group("g", 2, [comparison(0, [0, 1], { samples: 65 })])]))],
    ["invalid_request", 400, post(request([group("g", 2, [comparison(0, [0, 1], { max_tokens: 0 })])]))],
    ["invalid_request", 400, post(request([group("g", LIMITS.rollouts_per_group_max + 1, pairs(2))]))],
    ["invalid_request", 400, post("null")],
    ["body_too_large", 413, post("{}", { "content-length": String(GATEWAY_LIMITS.body_bytes + 1) })],
    ["body_too_large", 413, post(" ".repeat(GATEWAY_LIMITS.body_bytes + 1))],
    [
      "too_many_generations",
      400,
      post(
        request([
          group(
            "g",
            2,
            [...Array(1025)].map((_, i) => comparison(i, [0, 1], { samples: 64 })),
          ),
        ]),
      ),
    ],
  ] as const)("refuses with %s (%i)", async (code, status, init) => {
    const { ask, admission } = inProcess(new FakePool(1));
    const response = await ask("/v1/verify", init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, status });
    expect(admission.jobs.size).toBe(0);
  });

  it("refuses over the queue's bound with 429, Retry-After and the figures", async () => {
    const { ask } = inProcess(new FakePool(1), { queue_tokens_max: 1_000 });
    await ask("/v1/verify", post(request([group("g", 3, pairs(3))])));
    const response = await ask("/v1/verify", post(request([group("g", 3, pairs(3))])));
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ code: "overloaded", retryable: true });
  });

  it("keeps the promise of heartbeats while nothing else is said", async () => {
    const time = new VirtualTime();
    const { ask } = inProcess(new FakePool(1), { timers: time.clock });
    const events = eventsOf((await ask("/v1/verify", post(one))).body);
    await events.next();
    const heartbeat = events.next();
    await time.advance(LIMITS.heartbeat_ms);
    expect((await heartbeat).value).toEqual({ type: "heartbeat", open: 1 });
  });

  it("at the deadline names what is left and ends", async () => {
    const time = new VirtualTime();
    const pool = new FakePool(1);
    const { ask, admission } = inProcess(pool, { timers: time.clock });
    const reply = whole((await ask("/v1/verify", post(request([group("g", 3, pairs(3))], { deadline_ms: 500 })))).body);
    await time.advance(500);
    const events = await reply;
    expect(only(events, "error").map(({ code }) => code)).toEqual(["deadline", "deadline", "deadline"]);
    expect(events.at(-1)).toMatchObject({ type: "done", usage: { generations: 3, failed: 3 } });
    expect(pool.calls.map(({ aborted, call }) => [aborted, call.signal.reason])).toEqual([[true, "deadline"]]);
    expect(admission.jobs.size).toBe(0);
  });

  it("stops asking the engine while nobody reads, and goes on when somebody does, with nothing lost", async () => {
    const pool = new FakePool(16);
    const { ask } = inProcess(pool);
    const asks = request([
      group(
        "g",
        2,
        [...Array(600)].map((_, i) => comparison(i, [0, 1])),
      ),
    ]);
    const { body } = await ask("/v1/verify", post(asks));
    const long = voteFor("A", { answer: `${"x".repeat(4_000)}\\boxed{A}` });
    const answerAll = async () => {
      while (pool.open.length > 0) {
        for (const call of pool.open) call.answer(long);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await answerAll();
    const held = pool.calls.length;
    expect(held).toBeLessThan((2 * GATEWAY_LIMITS.reply_buffer_chars) / 4_000);
    const reply = whole(body);
    while (pool.calls.length < 600) {
      await answerAll();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await answerAll();
    expect(reported(await reply)).toEqual(asked(asks));
  });

  it("gives requests with the same X-Request-Id one share, so that an edge's 64 groups do not have 64", async () => {
    const pool = new FakePool(4);
    const { ask } = inProcess(pool);
    const many = (id: string) =>
      request([
        group(
          id,
          2,
          [...Array(400)].map((_, i) => comparison(i, [0, 1])),
        ),
      ]);
    const from = async (caller: string, id: string) =>
      whole((await ask("/v1/verify", post(many(id), { "x-request-id": caller }))).body);
    const replies = [from("edge", "a"), from("edge", "b"), from("edge", "c"), from("other", "d")];
    const counts = () => {
      const sent = { edge: 0, other: 0 };
      for (const { prompt } of pool.calls) sent[prompt.includes("of d") ? "other" : "edge"]++;
      return sent;
    };
    await pool.until(({ calls }) => calls.length === 4);
    while (counts().other < 300) {
      for (const call of pool.open) call.answer(voteFor("A"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(counts().edge / counts().other).toBeCloseTo(1, 0);
    while (pool.open.length > 0) {
      for (const call of pool.open) call.answer(voteFor("A"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const events of await Promise.all(replies)) expect(only(events, "verdict")).toHaveLength(400);
  });

  it("when the client goes, ends every generation of that request in the engines, and no other", async () => {
    const pool = new FakePool(4);
    const { url } = await start(pool);
    const client = httpRequest(`${url}/v1/verify`, { method: "POST", headers: { "content-type": "application/json" } });
    client.end(JSON.stringify(request([group("gone", 4, pairs(4))])));
    const [response] = (await once(client, "response")) as [IncomingMessage];
    await once(response, "readable");
    const other = whole((await fetch(`${url}/v1/verify`, post(one))).body);
    expect(pool.open).toHaveLength(4);
    response.destroy();
    await pool.until(({ calls }) => calls.slice(0, 4).every(({ aborted }) => aborted));
    await pool.until(({ calls }) => calls.length === 5);
    pool.calls[4]?.answer(voteFor("A"));
    expect(only(await other, "verdict")).toMatchObject([{ group_id: "g" }]);
    expect(pool.calls).toHaveLength(5);
  });
});
