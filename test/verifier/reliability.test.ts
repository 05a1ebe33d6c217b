// Holds the state machines of a backend's reliability: the breaker, the budget of extra traffic,
// the recent latencies, over any history.

import { describe, expect, it } from "vitest";
import { Breaker, type BreakerOptions } from "../../src/core/load/breaker.ts";
import { RecentLatencies } from "../../src/core/load/recent-latencies.ts";
import { RetryBudget } from "../../src/core/load/retry-budget.ts";
import { RollingCounts } from "../../src/core/load/rolling-counts.ts";
import { TrafficBudget } from "../../src/core/load/traffic-budget.ts";
import { createRandom } from "../../src/core/math/random.ts";
import fc from "../harness/property.ts";

const OPTIONS: BreakerOptions = {
  window_ms: 1_000,
  volume_min: 10,
  failure_share: 0.5,
  open_ms: 100,
  probe_ms: 50,
  poll_ms: 20,
};

/** A breaker that has just opened, at time 0. */
function opened(): Breaker {
  const breaker = new Breaker(OPTIONS);
  for (let i = 0; i < OPTIONS.volume_min; i++) breaker.record(false, 0);
  return breaker;
}

describe("the breaker", () => {
  it("stays closed below its volume and below its share of failures", () => {
    const few = new Breaker(OPTIONS);
    for (let i = 0; i < 9; i++) few.record(false, 0);
    expect(few.state(0)).toBe("closed");
    const mixed = new Breaker(OPTIONS);
    for (let i = 0; i < 100; i++) mixed.record(i % 3 !== 0, 0);
    expect(mixed.state(0)).toBe("closed");
  });

  it("forgets failures that are older than its window", () => {
    const breaker = new Breaker(OPTIONS);
    for (let i = 0; i < 9; i++) breaker.record(false, 0);
    breaker.record(false, 1_100);
    expect(breaker.state(1_100)).toBe("closed");
  });

  it("admits nothing while open, then one probe, and closes by its success", () => {
    const breaker = opened();
    expect([breaker.state(99), breaker.admit(99)]).toEqual(["open", "stop"]);
    expect([breaker.state(100), breaker.admit(100), breaker.admit(100)]).toEqual(["half_open", "probe", "stop"]);
    breaker.record(true, 110, true);
    expect([breaker.state(110), breaker.admit(110)]).toEqual(["closed", "go"]);
  });

  it("is asked again after the same pause, however many probes were in vain, and says when", () => {
    const breaker = opened();
    let now = 0;
    const waits = [0, 1, 2, 3].map(() => {
      const wait = breaker.waitMs(now);
      now += wait;
      expect(breaker.admit(now)).toBe("probe");
      // Whoever finds another's probe under way looks again soon.
      expect(breaker.waitMs(now)).toBe(OPTIONS.poll_ms);
      breaker.record(false, now, true);
      return wait;
    });
    expect(waits).toEqual([100, 100, 100, 100]);
    now += breaker.waitMs(now);
    breaker.admit(now);
    breaker.record(true, now, true);
    expect(breaker.waitMs(now)).toBe(0);
  });

  it("closes by a probe's success also when the probe had been given up for lost", () => {
    const breaker = opened();
    breaker.admit(100);
    breaker.record(false, 150, true);
    expect(breaker.state(150)).toBe("open");
    breaker.record(true, 160, true);
    expect(breaker.state(160)).toBe("closed");
  });

  it("lets another probe go when the first was given up or never told its end", () => {
    const breaker = opened();
    expect(breaker.admit(100)).toBe("probe");
    breaker.forget();
    expect(breaker.admit(101)).toBe("probe");
    expect([breaker.admit(150), breaker.admit(151)]).toEqual(["stop", "probe"]);
  });

  it("whatever happens: while not closed, at most one request per probe_ms is let through", () => {
    const step = fc.record({
      wait: fc.nat({ max: 120 }),
      what: fc.constantFrom("ask" as const, "good" as const, "bad" as const, "stale" as const),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const breaker = opened();
        let now = 0;
        let probeAt: number | null = null;
        for (const { wait, what } of steps) {
          now += wait;
          const before = breaker.state(now);
          if (what === "ask") {
            const admission = breaker.admit(now);
            expect(admission === "go").toBe(before === "closed");
            if (before === "open") expect(admission).toBe("stop");
            if (admission === "probe") {
              expect(probeAt === null || now - probeAt >= OPTIONS.probe_ms).toBe(true);
              probeAt = now;
            }
          } else if (what === "stale") {
            breaker.record(false, now);
            if (before !== "closed") expect(breaker.state(now)).toBe(before);
          } else if (probeAt !== null && before === "half_open") {
            breaker.record(what === "good", now, true);
            expect(breaker.state(now)).toBe(what === "good" ? "closed" : "open");
            probeAt = null;
          }
          if (breaker.state(now) === "closed") probeAt = null;
        }
      }),
    );
  });
});

describe("the budget of extra traffic", () => {
  it("never lets more through than its share of a window's first attempts, floor apart, in any order", () => {
    const options = { window_ms: 1_000, share: 0.1, floor: 3 };
    const step = fc.record({ wait: fc.nat({ max: 40 }), extra: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const budget = new TrafficBudget(options);
        const log: { at: number; extra: boolean }[] = [];
        let now = 0;
        for (const { wait, extra } of steps) {
          now += wait;
          if (!extra) budget.sent(now);
          if (!extra || budget.take(now)) log.push({ at: now, extra });
          const recent = log.filter(({ at }) => at > now - options.window_ms * 0.9);
          const older = log.filter(({ at }) => at > now - 2 * options.window_ms);
          const firsts = older.filter((entry) => !entry.extra).length;
          expect(recent.filter((entry) => entry.extra).length).toBeLessThanOrEqual(Math.max(3, firsts * 0.1));
        }
      }),
    );
  });
});

describe("the budget of retries", () => {
  const OPTIONS = { burst: 20, window_ms: 10_000, share: 0.5 };

  it("under 100 % failure lets a burst and then an even rate through, and says when each has its turn", () => {
    const budget = new RetryBudget(OPTIONS);
    let sent = 0;
    let now = 0;
    for (; now < 60_000; ) {
      const wait = budget.take(now);
      if (wait === 0) sent++;
      now += wait;
    }
    // 20 at once, then two a second.
    expect(sent).toBe(20 + 119);
  });

  it.each([
    ["nothing", 0],
    ["every tenth", 0.1],
    ["every fourth", 0.25],
  ])("holds up no retry of a backend that fails at %s, however fast it is asked", (_, share) => {
    const budget = new RetryBudget(OPTIONS);
    const random = createRandom(17);
    let waited = 0;
    for (let question = 0; question < 10_000; question++) {
      let tries = 1;
      while (random() < share) {
        if (budget.take(0) > 0) waited++;
        else tries++;
      }
      budget.answered(tries > 1);
    }
    expect(waited).toBe(0);
  });

  it("never lets more through than its burst, what came free since, and what answers brought, in any order", () => {
    const step = fc.record({
      wait: fc.nat({ max: 2_000 }),
      what: fc.constantFrom("retry", "answer", "answered retry"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const budget = new RetryBudget(OPTIONS);
        let [now, sent, brought] = [0, 0, 0];
        for (const { wait, what } of steps) {
          now += wait;
          if (what === "retry") sent += budget.take(now) === 0 ? 1 : 0;
          else {
            budget.answered(what === "answered retry");
            brought += what === "answer" ? 0.5 : 1.5;
          }
          expect(sent).toBeLessThanOrEqual(20 + now / 500 + brought + 1e-6);
        }
      }),
    );
  });
});

describe("recent counts and latencies", () => {
  it("fall out of the window by themselves", () => {
    const counts = new RollingCounts<"a" | "b">(100);
    counts.add("a", 0);
    counts.add("a", 50);
    expect([counts.sum("a", 50), counts.sum("b", 50), counts.sum("a", 105), counts.sum("a", 200)]).toEqual([
      2, 0, 1, 0,
    ]);
  });

  it("know their 95th percentile only from enough of them, and follow the latest", () => {
    const latencies = new RecentLatencies(20);
    for (let i = 1; i < 20; i++) latencies.add(i);
    expect(latencies.p95).toBeNull();
    latencies.add(20);
    expect(latencies.p95).toBeCloseTo(19.05, 10);
    for (let i = 0; i < 256; i++) latencies.add(7);
    expect(latencies.p95).toBe(7);
  });
});
