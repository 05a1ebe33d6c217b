// Holds whose failures stop whom: one key's stop that key alone, several keys' stop all who have seen
// nothing work, however many keys come.

import { describe, expect, it } from "vitest";
import type { BreakerOptions } from "../../src/core/load/breaker.ts";
import { KeyedBreaker } from "../../src/core/load/keyed-breaker.ts";
import fc from "../harness/property.ts";

const OPTIONS: BreakerOptions = {
  window_ms: 1_000,
  volume_min: 10,
  failure_share: 0.5,
  open_ms: 100,
  probe_ms: 50,
  poll_ms: 20,
};

const fail = (breaker: KeyedBreaker, key: string, times: number, now = 0) => {
  for (let i = 0; i < times; i++) breaker.record(false, now, false, key);
};

describe("the breaker by key", () => {
  it("opens for the one key whose questions fail, and for nobody else", () => {
    const breaker = new KeyedBreaker(OPTIONS);
    breaker.record(true, 0, false, "b");
    fail(breaker, "a", 10_000);
    expect(["a", "b", "new"].map((key) => breaker.admit(0, key))).toEqual(["stop", "go", "go"]);
    expect(breaker.state(0)).toBe("closed");
  });

  it("opens for all when several keys fail, but for one that sees it work", () => {
    const breaker = new KeyedBreaker(OPTIONS);
    breaker.record(true, 0, false, "b");
    fail(breaker, "a", 5);
    fail(breaker, "c", 4);
    expect(["a", "b", "c", "new"].map((key) => breaker.admit(0, key))).toEqual(["go", "go", "go", "go"]);
    fail(breaker, "c", 1);
    expect(["a", "b", "c", "newer"].map((key) => breaker.admit(0, key))).toEqual(["stop", "go", "stop", "stop"]);
    expect(breaker.state(0)).toBe("open");
    expect(["a", "c", "newest"].map((key) => breaker.admit(100, key))).toEqual(["probe", "probe", "go"]);
  });

  it("is one breaker where there are no keys", () => {
    const breaker = new KeyedBreaker(OPTIONS);
    fail(breaker, "", 9);
    expect(breaker.state(0)).toBe("closed");
    fail(breaker, "", 1);
    expect([breaker.state(0), breaker.admit(0, "")]).toEqual(["open", "stop"]);
    expect([breaker.state(100), breaker.admit(100, "")]).toEqual(["half_open", "probe"]);
    breaker.record(true, 110, true, "");
    expect(breaker.state(110)).toBe("closed");
  });

  it("remembers no more than so many keys, and those that ask", () => {
    const breaker = new KeyedBreaker(OPTIONS);
    fail(breaker, "a", 10);
    for (let i = 0; i < 255; i++) breaker.admit(0, `${i}`);
    expect(breaker.admit(0, "a")).toBe("stop");
    for (let i = 0; i < 256; i++) breaker.admit(0, `more ${i}`);
    expect(breaker.admit(0, "a")).toBe("go");
  });

  it("whatever one key does, another that is answered is never stopped", () => {
    const step = fc.record({ wait: fc.nat({ max: 60 }), good: fc.boolean(), probe: fc.boolean(), ask: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const breaker = new KeyedBreaker(OPTIONS);
        let now = 0;
        for (const { wait, good, probe, ask } of steps) {
          now += wait;
          if (ask) breaker.admit(now, "a");
          breaker.record(good, now, probe, "a");
          expect(breaker.admit(now, "b")).toBe("go");
          breaker.record(true, now, false, "b");
        }
      }),
    );
  });
});
