// Holds what a request meets before its body is read: its key's limits and the isolate's load, over
// counters in memory and over ones that fail.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { type CountersStub, parseKeyLimits } from "../../../src/objects/key-limits/ledger.ts";
import { createKeyLimits } from "../../../src/objects/key-limits/remote.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { Metrics } from "../../../src/platform/counters.ts";
import { problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { gate } from "../../verifier/setup.ts";
import { memoryCounters } from "./memory-counters.ts";

/**
 * Lets time pass, and what is not timed (hashes) go on in between, until something holds.
 * Throws when it does not within a minute of it.
 */
async function passUntil(time: VirtualTime, holds: () => boolean): Promise<void> {
  for (let passed = 0; !holds(); passed += LIMITS.key_limits_flush_ms) {
    if (passed > 60_000) throw new Error("does not come to hold");
    await time.advance(LIMITS.key_limits_flush_ms);
    // However busy the machine is, a hash that was begun before this one is further than it.
    await crypto.subtle.digest("SHA-256", new Uint8Array(1));
  }
}

function limited(text: string, options: Parameters<typeof setUp>[0] = {}, counters = memoryCounters()) {
  const limits = parseKeyLimits(text);
  const metrics = new Metrics();
  const onUnreachable = () => metrics.add("kritai_key_limits_unreachable_total", 1);
  const keyLimits = createKeyLimits({ limits, counters, timers: options.timers ?? systemClock, onUnreachable });
  return { ...setUp({ keyLimits, metrics, ...options }), counters, metrics };
}

describe("a key's limits", () => {
  it("refuse with the limit's name, Retry-After and RateLimit fields, without reading the body", async () => {
    const { post } = limited("*:rpm=1");
    const first = await post("/v1/rewards", twoRollouts());
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"rpm";q=1;w=60;qu="requests"');
    expect(first.headers.get("ratelimit")).toBe('"rpm";r=0;t=60');
    const second = await post("/v1/rewards", "{ this is not JSON");
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await problemOf(second)).toMatchObject({
      code: "rate_limited",
      retryable: true,
      detail: expect.stringContaining("rpm = 1"),
    });
  });

  it("count the verifier's tokens after the reply, and refuse when the day's are spent", async () => {
    const { post, counters } = limited("*:tokens_per_day=12");
    const booked = counters.booked();
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
    await booked;
    expect((await problemOf(await post("/v1/rewards", twoRollouts()))).code).toBe("token_budget_exceeded");
  });

  it("bound the rows of the log by default: asked for only where many were logged, and refused what logs alone", async () => {
    const { post, call, counters } = limited("other:rpm=1");
    expect((await post("/v1/rewards", twoRollouts())).headers.get("ratelimit")).toBeNull();
    const keyLimits = createKeyLimits({ limits: new Map(), counters, timers: systemClock, onUnreachable: () => {} });
    expect(await keyLimits.admit(null, "a", true)).toBeNull();
    await keyLimits.spend(null, { tokens: 5, usd: 0, log_rows: LIMITS.log_rows_booked - 1 });
    expect(counters.calls).toEqual([]);
    await keyLimits.spend(null, { tokens: 5, usd: 0, log_rows: LIMITS.log_rows_per_day });
    expect(counters.calls).toEqual(["book"]);
    const { refused_by, limits } = (await keyLimits.admit(null, "b", true)) ?? {};
    expect([refused_by, limits]).toEqual([
      "log_rows_per_day",
      [{ limit: "log_rows_per_day", quota: LIMITS.log_rows_per_day, remaining: 0, reset_s: 86_400 }],
    ]);
    expect((await keyLimits.admit(null, "c", false))?.refused_by).toBeNull();
    expect((await call("/v1/runs")).status).toBe(200);
  });

  it("count a request's rows in the log, and refuse when the day's are used up", async () => {
    const { post, counters, runLog } = limited("*:rpm=9,log_rows_per_day=4");
    const booked = counters.booked();
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
    await booked;
    // A request, a group, two rollouts and a verdict.
    const verdicts = runLog.entries[0]?.groups[0]?.verdicts.length ?? 0;
    expect([verdicts, counters.states.get("(open)")?.log_rows]).toEqual([1, 5]);
    expect(await problemOf(await post("/v1/rewards", twoRollouts()))).toMatchObject({
      status: 429,
      code: "log_budget_exceeded",
      detail: expect.stringContaining("log_rows_per_day = 4"),
    });
  });

  it("hold for the requests under way, until the work of each has ended", async () => {
    const { opened, open } = gate();
    const verifier = fakeVerifier(() => "\\boxed{A}", { gate: opened });
    const { post, counters } = limited("*:concurrency=1", { verifier });
    const first = post("/v1/rewards", twoRollouts());
    await expect.poll(() => verifier.jobs).toHaveLength(1);
    const second = await post("/v1/rewards", twoRollouts());
    expect((await problemOf(second)).code).toBe("too_many_concurrent");
    const booked = counters.booked();
    open();
    expect((await first).status).toBe(200);
    await booked;
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
  });

  it("hold for a request that waits for another with its Idempotency-Key, however long, until it or its client has gone", async () => {
    const time = new VirtualTime();
    const { opened, open } = gate();
    const verifier = fakeVerifier(() => "\\boxed{A}", { gate: opened });
    const { app, post, counters } = limited("*:concurrency=2", { verifier, ...time.ports });
    const underWay = () => Object.keys(counters.states.get("(open)")?.leases ?? {}).length;
    const headers = { "content-type": "application/json", "idempotency-key": "k" };
    const first = post("/v1/rewards", twoRollouts(), headers);
    await expect.poll(() => verifier.jobs).toHaveLength(1);
    const client = new AbortController();
    const init = { method: "POST", headers, body: JSON.stringify(twoRollouts()), signal: client.signal };
    let begun: Response | null = null;
    void Promise.resolve(app.request("http://localhost/v1/rewards", init)).then((response) => {
      begun = response;
    });
    await passUntil(time, () => begun !== null);
    expect(begun).toMatchObject({ status: 200 });
    expect((await problemOf(await post("/v1/rewards", twoRollouts()))).code).toBe("too_many_concurrent");
    client.abort();
    await passUntil(time, () => underWay() === 1);
    open();
    await (await first).text();
    await passUntil(time, () => underWay() === 0);
  });

  it("cost one call on a request's way, and one behind it for all that ended close by", async () => {
    const { post, counters } = limited("*:concurrency=9");
    const booked = counters.booked();
    await Promise.all(Array.from({ length: 5 }, () => post("/v1/rewards", twoRollouts())));
    await booked;
    expect(counters.calls.filter((call) => call === "ask")).toHaveLength(5);
    expect(counters.calls.filter((call) => call === "book").length).toBeLessThanOrEqual(2);
    expect(Object.keys(counters.states.get("(open)")?.leases ?? {})).toEqual([]);
  });

  it("let a request through when its counters cannot be reached, and count that", async () => {
    const broke = () => Promise.reject(new Error());
    const broken = {
      ...memoryCounters(),
      getByName: () => ({ ask: broke, book: broke, holdLease: broke, store: broke }),
    };
    const { post, metrics } = limited("*:rpm=1", {}, broken);
    for (let i = 0; i < 2; i++) expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
    expect(metrics.render()).toContain("kritai_key_limits_unreachable_total 2");
  });

  it("give a place back that was granted too late for anybody to hear of it", async () => {
    const time = new VirtualTime();
    const counters = memoryCounters();
    let late = true;
    const getByName = (name: string): CountersStub => {
      const { ask, book, holdLease: hold, store } = counters.getByName(name);
      return {
        ...{ book, holdLease: hold, store },
        async ask(...args) {
          const granted = await ask(...args);
          return late ? new Promise(() => {}) : granted;
        },
      };
    };
    const { post } = limited("*:concurrency=1", time.ports, { ...counters, getByName });
    const booked = counters.booked();
    const first = post("/v1/rewards", twoRollouts());
    await time.advance(LIMITS.key_limits_timeout_ms);
    expect((await first).status).toBe(200);
    await time.advance(LIMITS.key_limits_flush_ms);
    await booked;
    late = false;
    expect((await post("/v1/rewards", twoRollouts())).status).toBe(200);
  });

  it("ask nothing for a key without limits, nor for the public routes", async () => {
    const { post, call, counters } = limited("trainer:rpm=1");
    const reply = await post("/v1/rewards", twoRollouts());
    expect([reply.status, reply.headers.get("ratelimit")]).toEqual([200, null]);
    const starred = limited("*:rpm=1");
    await starred.call("/healthz");
    await call("/docs");
    expect([counters.calls, starred.counters.calls]).toEqual([[], []]);
  });
});

describe("counters that answer late", () => {
  it("are told of tokens once: a call that comes in time after all has booked them", async () => {
    const time = new VirtualTime();
    const counters = memoryCounters();
    const LATE_MS = LIMITS.key_limits_timeout_ms + 200;
    const late = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A) => {
        await time.sleep(LATE_MS);
        return call(...args);
      };
    };
    const getByName = (name: string): CountersStub => {
      const { ask, book, holdLease: hold, store } = counters.getByName(name);
      return { ask: late(ask), book: late(book), holdLease: late(hold), store };
    };
    const limits = parseKeyLimits("*:tokens_per_day=1000");
    const keyLimits = createKeyLimits({ limits, counters: { getByName }, timers: time.clock, onUnreachable: () => {} });
    void keyLimits.spend(null, { tokens: 100, usd: 0, log_rows: 0 });
    for (let i = 0; i < 10; i++) {
      const asked = keyLimits.admit(null, `${i}`, true);
      await time.advance(2 * LATE_MS);
      await asked;
    }
    expect(counters.states.get("(open)")?.tokens).toBe(100);
  });

  it("are told again of tokens when the call failed", async () => {
    const counters = memoryCounters();
    let broken = true;
    const getByName = (name: string): CountersStub => {
      const { ask, book, holdLease: hold, store } = counters.getByName(name);
      return {
        ask,
        holdLease: hold,
        store,
        book: (spending) => (broken ? Promise.reject(new Error()) : book(spending)),
      };
    };
    const limits = parseKeyLimits("*:tokens_per_day=1000");
    const keyLimits = createKeyLimits({
      limits,
      counters: { getByName },
      timers: systemClock,
      onUnreachable: () => {},
    });
    await keyLimits.spend(null, { tokens: 100, usd: 0, log_rows: 0 });
    broken = false;
    await keyLimits.spend(null, { tokens: 1, usd: 0, log_rows: 0 });
    expect(counters.states.get("(open)")?.tokens).toBe(101);
  });
});
