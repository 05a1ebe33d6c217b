// One slice against a server of known latency: a stall shows in full, time-outs and refusals are
// distinguished, a stop ends it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LoadClient } from "../../loadtest/client.ts";
import { verdictsWork } from "../../loadtest/kinds/verdicts.ts";
import { startKnownServer } from "../../loadtest/known-server.ts";
import { summariseSide } from "../../loadtest/side.ts";
import { type Load, runSlice, type SliceOptions } from "../../loadtest/slice.ts";

const works = [verdictsWork({ formulation: "list_em", items: [{ text: "\\boxed{A}" }] })];
const HOUR_MS = 3_600_000;
const NO_COST = { gpu_hour_price: null, gpus: 1, tokens_per_second: null };
const constant = (rate: number): Load => ({ loop: "open", arrivals: { process: "constant", rate } });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function known(options: Parameters<typeof startKnownServer>[0] = {}) {
  const server = await startKnownServer(options);
  closers.push(() => server.close());
  return server;
}

function slice(url: string, load: Load, options: Partial<SliceOptions> = {}, timeout_ms = 20_000) {
  const client = new LoadClient({ base_url: url, headers: {}, connections_max: 8, timeout_ms });
  closers.push(() => client.close());
  return runSlice({
    slice: 0,
    load,
    seed: 1,
    warmup_s: 0.2,
    duration_s: 2.5,
    drain_ms: 20_000,
    requests_max: 100_000,
    requests_left: 100_000,
    works,
    client,
    signal: new AbortController().signal,
    ...options,
  });
}

/** A server that answers every request with one status and body. */
async function refusing(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/problem+json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("an open loop", () => {
  it("shows an injected stall of 1 s in full, although only 8 connections had a request in it", async () => {
    const { url } = await known({ stall_at: 100, stall_ms: 1000 });
    const done = await slice(url, constant(200));
    const side = summariseSide([done], 1000, NO_COST);
    expect(side).toMatchObject({ requests: 500, ok: 500, failed: 0 });
    // 200 requests were due during the stall: their delays fill the whole range, and none was left
    // out.
    expect(side.latency_ms.max).toBeGreaterThanOrEqual(950);
    expect(side.latency_ms.p99.value).toBeGreaterThanOrEqual(900);
    const delayed = done.recorder.rows.filter(({ latency_ms }) => latency_ms > 100).length;
    expect(delayed).toBeGreaterThanOrEqual(170);
  });

  it("keeps the schedule's count and never starts before its time", async () => {
    const { url, answered } = await known();
    const { recorder } = await slice(url, constant(100), { duration_s: 0.5 });
    expect(recorder.rows.length).toBe(70);
    expect(answered()).toBe(70);
    expect(recorder.rows.every(({ schedule_error_ms }) => schedule_error_ms >= 0)).toBe(true);
    expect(recorder.rows.filter(({ warm_up }) => warm_up).length).toBe(20);
  });

  it("counts a time-out as failed and keeps its time as a lower bound", async () => {
    const { url } = await known({ stall_at: 1, stall_ms: 3_000 });
    const done = await slice(url, constant(20), { warmup_s: 0, duration_s: 0.5 }, 200);
    const side = summariseSide([done], 1000, NO_COST);
    expect(side).toMatchObject({ requests: 10, ok: 0, failed: 10, errors: { timeout: 10 } });
    expect(side.latency_ms.p50.value).toBeGreaterThanOrEqual(200);
    expect(side.goodput_per_s.value).toBe(0);
  });

  it("starts no more requests than are left, and measures only until then", async () => {
    const { url, answered } = await known();
    const done = await slice(url, constant(100), { warmup_s: 0, requests_left: 30 });
    expect(answered()).toBe(30);
    expect(done.measured_s).toBeLessThan(2.5);
  });

  it("ends at a stop with its results so far, and aborts in-flight requests", async () => {
    const { url, answered } = await known({ stall_at: 20, stall_ms: 60_000 });
    const stop = new AbortController();
    // Stops once the stalled server has answered nothing more for a while, so that requests are
    // surely waiting.
    let looks = 0;
    const watch = setInterval(() => {
      if (answered() === 19 && ++looks === 10) stop.abort();
    }, 20);
    const running = slice(url, constant(100), { warmup_s: 0, duration_s: 600, requests_max: 1e6, signal: stop.signal });
    const done = await running;
    clearInterval(watch);
    const side = summariseSide([done], 1000, NO_COST);
    expect(done.stopped).toBe(true);
    expect(side.ok).toBe(19);
    expect(side.unfinished).toBeGreaterThan(0);
    expect(side.failed).toBe(0);
  });
});

describe("a stop while only replies are waited for", () => {
  it("gives them as long as any other stop, not the whole time-out, and keeps what was measured", async () => {
    const { url, answered } = await known({ stall_at: 11, stall_ms: HOUR_MS });
    const stop = new AbortController();
    let began = Number.POSITIVE_INFINITY;
    // The window is over by then, and the server holds the rest of the replies.
    const watch = setInterval(() => {
      if (answered() === 10 && performance.now() - began > 900) stop.abort();
    }, 20);
    const options = { warmup_s: 0, duration_s: 0.5, drain_ms: HOUR_MS, signal: stop.signal };
    const done = await slice(
      url,
      constant(40),
      {
        ...options,
        onStart: () => {
          began = performance.now();
        },
      },
      HOUR_MS,
    );
    clearInterval(watch);
    expect([done.stopped, done.measured_s]).toEqual([true, 0.5]);
    expect(summariseSide([done], 1000, NO_COST)).toMatchObject({ ok: 10, failed: 0, unfinished: 10 });
  });
});

describe("an overloaded target", () => {
  it("has the throughput of what it answered in the window, not of what was due in it and came later", async () => {
    // Everything due after the tenth request is answered after the window has closed.
    const { url } = await known({ stall_at: 11, stall_ms: 1_500 });
    const side = summariseSide([await slice(url, constant(50), { warmup_s: 0, duration_s: 1 })], 10_000, NO_COST);
    expect(side).toMatchObject({ requests: 50, ok: 50, rewards: 50 });
    expect(side.achieved_per_s.value).toBeLessThanOrEqual(10);
    expect(side.rewards_per_s.value).toBe(side.achieved_per_s.value);
    expect(side.generations_per_s.value).toBe(side.achieved_per_s.value);
  });
});

describe("a closed loop", () => {
  it("that has no request left measures only until then", async () => {
    const { url, answered } = await known({ latency_ms: 1 });
    const load: Load = { loop: "closed", concurrency: 2 };
    const done = await slice(url, load, { warmup_s: 0, duration_s: 30, requests_left: 100 });
    expect(answered()).toBe(100);
    expect(done.measured_s).toBeLessThan(15);
    const side = summariseSide([done], 1000, NO_COST);
    expect(side.achieved_per_s.value).toBeCloseTo(100 / done.measured_s, 6);
  });

  it("delays one request per client by a stall, and so hides it: the reason why the open loop is the default", async () => {
    const { url } = await known({ stall_at: 100, stall_ms: 1000 });
    const { recorder } = await slice(url, { loop: "closed", concurrency: 2 });
    const delayed = recorder.rows.filter(({ latency_ms }) => latency_ms > 900).length;
    expect(delayed).toBe(2);
  });
});

describe("a refusal", () => {
  it("is named by its status and the problem's code, and brings neither latency nor rewards", async () => {
    const url = await refusing(429, JSON.stringify({ code: "overloaded" }));
    const side = summariseSide([await slice(url, constant(40), { warmup_s: 0, duration_s: 0.5 })], 1000, NO_COST);
    expect(side).toMatchObject({ ok: 0, rewards: 0, errors: { http_429_overloaded: 20 } });
    expect(side.latency_ms.max).toBeNull();
  });

  it("that is not JSON, or an invalid reply with 200, is a failure too", async () => {
    const bad = await refusing(200, "<html>");
    const gone = await refusing(502, "bad gateway");
    const short = { warmup_s: 0, duration_s: 0.1 };
    expect(summariseSide([await slice(bad, constant(50), short)], 1000, NO_COST).errors).toEqual({ bad_reply: 5 });
    expect(summariseSide([await slice(gone, constant(50), short)], 1000, NO_COST).errors).toEqual({ http_502: 5 });
  });

  it("to connect is a failure with the system's code", async () => {
    const server = await startKnownServer();
    await server.close();
    const side = summariseSide(
      [await slice(server.url, constant(50), { warmup_s: 0, duration_s: 0.1 })],
      1000,
      NO_COST,
    );
    expect(side.errors).toEqual({ connection_econnrefused: 5 });
  });
});
