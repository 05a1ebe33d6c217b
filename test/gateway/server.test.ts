// The gateway's HTTP face over a pool without engines: events, refusals, access, backpressure,
// cancellation, draining.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GATEWAY_LIMITS } from "../../gpu-backend/gateway/gateway-limits.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { VerifyEvent } from "../../src/core/wire/verify-protocol.ts";
import { FakePool, voteFor } from "./fake-pool.ts";
import { inProcess } from "./in-process.ts";
import { collect, eventsOf } from "./replies.ts";
import { asked, comparison, group, only, pairs, reported, request } from "./requests.ts";

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

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const whole = (body: ReadableStream<Uint8Array> | null) => collect(eventsOf(body));

const one = request([group("g", 2, pairs(2))]);
/** The second of them has no number of its own. */
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
      cancel_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
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
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout"] });
    const { ask } = inProcess(new FakePool(1));
    const events = eventsOf((await ask("/v1/verify", post(one))).body);
    await events.next();
    const heartbeat = events.next();
    vi.advanceTimersByTime(LIMITS.heartbeat_ms);
    expect((await heartbeat).value).toEqual({ type: "heartbeat", open: 1 });
  });

  it("at the deadline names what is left and ends", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout"] });
    const pool = new FakePool(1);
    const { ask, admission } = inProcess(pool, { now: () => 0 });
    const reply = whole((await ask("/v1/verify", post(request([group("g", 3, pairs(3))], { deadline_ms: 500 })))).body);
    vi.advanceTimersByTime(500);
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

describe("access", () => {
  it("with a key needs it as a Bearer token, for all but the probes and the metrics", async () => {
    const { ask } = inProcess(new FakePool(1), { apiKey: "s3cret" });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    for (const headers of [{}, bearer("s3cre"), bearer("s3cret2"), { authorization: "Basic s3cret" }]) {
      const response = await ask("/v1/verify", post(one, headers));
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain("s3cret");
    }
    expect((await ask("/v1/models")).status).toBe(401);
    expect((await ask("/v1/verify", post(one, bearer("s3cret")))).status).toBe(200);
    expect((await ask("/v1/models", { headers: bearer("s3cret") })).status).toBe(200);
    for (const path of ["/health", "/ready", "/metrics"]) expect((await ask(path)).status).toBe(200);
  });

  it("without a key answers only on a loopback name and no foreign web page", async () => {
    const { ask } = inProcess(new FakePool(1));
    const to = (host: string, more: Record<string, string> = {}) => ask("/v1/verify", post(one, { host, ...more }));
    for (const host of ["gateway.example", "127.0.0.1.example:80", "127.0.0.1@example", "localhost:80@example"]) {
      expect((await to(host)).status, host).toBe(401);
    }
    expect((await to("127.0.0.1", { "sec-fetch-site": "cross-site" })).status).toBe(401);
    for (const host of ["127.0.0.1", "localhost:8080", "[::1]", "[::1]:8080"]) {
      expect((await to(host)).status, host).toBe(200);
    }
  });
});

describe("service routes", () => {
  it("say whether the engine can be reached", async () => {
    const pool = new FakePool(1);
    let now = 0;
    const { ask } = inProcess(pool, { now: () => now });
    expect(await (await ask("/health")).json()).toEqual({ status: "ok" });
    expect(await (await ask("/ready")).json()).toMatchObject({ status: "ready", engine: { ok: true } });
    pool.reachable = false;
    now += LIMITS.readiness_cache_ms + 1;
    const response = await ask("/ready");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: "not_ready", engine: { detail: "not reachable" } });
    expect(await (await ask("/v1/models")).json()).toMatchObject({ object: "list", data: [{ id: "fake-model" }] });
    expect((await ask("/v1/verify")).status).toBe(405);
    expect((await ask("/nowhere")).status).toBe(404);
  });

  it("count what was said: outcomes, tokens, times, the queue and the pool", async () => {
    const pool = new FakePool(64);
    const { ask } = inProcess(pool);
    const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: 8, stop: "majority" })])]);
    const reply = whole((await ask("/v1/verify", post(asks))).body);
    for (const call of pool.calls.slice(0, 5)) call.answer(voteFor("A"));
    await reply;
    const text = await (await ask("/metrics")).text();
    for (const row of [
      'kritai_gateway_requests_total{status="200"} 1',
      'kritai_gateway_generations_total{outcome="verdict"} 5',
      'kritai_gateway_generations_total{outcome="saved"} 3',
      'kritai_gateway_verdicts_total{finish_reason="stop"} 5',
      'kritai_gateway_tokens_total{kind="completion"} 50',
      'kritai_gateway_tokens_total{kind="cut_completion"} 9',
      "kritai_gateway_queue_depth 0",
      "kritai_gateway_capacity 64",
      "kritai_gateway_generation_seconds_count 5",
      'kritai_gateway_first_token_seconds_bucket{le="0.001"} 5',
      "kritai_gateway_queue_seconds_count 5",
      "fake_pool_up 1",
    ]) {
      expect(text.split("\n")).toContain(row);
    }
  });
});

describe("draining", () => {
  it("refuses what comes, lets what runs finish, then closes the pool", async () => {
    const pool = new FakePool(1);
    const gateway = await startGateway({ pool, host: "127.0.0.1", port: 0 });
    const running = await fetch(`${gateway.url}/v1/verify`, post(one));
    const closed = gateway.close(60_000);
    const refused = await fetch(`${gateway.url}/v1/verify`, post(one));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ code: "not_ready" });
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(503);
    expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: "draining" });
    pool.calls[0]?.answer(voteFor("A"));
    expect((await whole(running.body)).map(({ type }) => type)).toEqual(["accepted", "verdict", "done"]);
    await closed;
    expect(pool.closed).toBe(true);
  });

  it("fails what has not finished by the limit with a code that says to try elsewhere", async () => {
    const pool = new FakePool(1);
    const gateway = await startGateway({ pool, host: "127.0.0.1", port: 0 });
    const running = await fetch(`${gateway.url}/v1/verify`, post(request([group("g", 3, pairs(3))])));
    const reply = whole(running.body);
    await gateway.close(0);
    const events = await reply;
    expect(only(events, "error")).toHaveLength(3);
    expect(only(events, "error")[0]).toMatchObject({ code: "verifier_unavailable", retryable: true });
    expect(events.at(-1)?.type).toBe("done");
    expect(pool.calls.every(({ aborted }) => aborted)).toBe(true);
  });
});
