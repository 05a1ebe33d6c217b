// The gateway's HTTP face beside its one job: who may ask, probes and metrics, draining.

import { describe, expect, it } from "vitest";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { gatewayTimers } from "../../gpu-backend/gateway/timers/gateway-timers.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { VERIFY_REVISION } from "../../src/core/wire/verify-protocol.ts";
import { FakePool, voteFor } from "./fake-pool.ts";
import { inProcess } from "./in-process.ts";
import { whole } from "./replies.ts";
import { comparison, group, only, pairs, post, request } from "./requests.ts";

const one = request([group("g", 2, pairs(2))]);

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
    const { ask } = inProcess(pool, { timers: { ...gatewayTimers, now: () => now } });
    expect(await (await ask("/health")).json()).toEqual({ status: "ok" });
    expect(await (await ask("/ready")).json()).toMatchObject({
      ...{ status: "ready", revision: VERIFY_REVISION, engine: { ok: true } },
    });
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
