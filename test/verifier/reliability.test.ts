// Holds the state machines of a backend's reliability: the breaker, the budget of extra traffic, the recent latencies, over any history.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Breaker, type BreakerOptions } from "../../src/core/breaker.ts";
import { RecentLatencies } from "../../src/core/recent-latencies.ts";
import { RollingCounts } from "../../src/core/rolling-counts.ts";
import { TrafficBudget } from "../../src/core/traffic-budget.ts";

const OPTIONS: BreakerOptions = {
  window_ms: 1_000,
  volume_min: 10,
  failure_share: 0.5,
  open_ms: 100,
  open_ms_max: 400,
  probe_ms: 50,
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

  it("opens for twice as long after each probe in vain, up to the bound", () => {
    const breaker = opened();
    let now = 100;
    const waits = [0, 1, 2, 3].map(() => {
      expect(breaker.admit(now)).toBe("probe");
      breaker.record(false, now, true);
      const since = now;
      while (breaker.state(now) === "open") now++;
      return now - since;
    });
    expect(waits).toEqual([200, 400, 400, 400]);
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

  it("under 100 % failure keeps the traffic at 1.1 times what was asked, however often each caller would retry", () => {
    const budget = new TrafficBudget({ window_ms: 10_000, share: 0.1, floor: 20 });
    let sent = 0;
    for (let i = 0; i < 10_000; i++) {
      budget.sent(i / 10);
      sent++;
      for (let retry = 0; retry < 5 && budget.take(i / 10); retry++) sent++;
    }
    expect(sent / 10_000).toBeLessThanOrEqual(1.1);
    expect(sent).toBeGreaterThan(10_500);
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
