// Holds what a key's ledger guarantees over any history, and that its grammar takes what it
// documents and nothing else.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import {
  EMPTY_LEDGER,
  grant,
  type LedgerState,
  limitOf,
  parseKeyLimits,
  settled,
} from "../../../src/objects/key-limits/ledger.ts";
import type { KeyLimit } from "../../../src/ports/key-limits.ts";
import fc from "../../harness/property.ts";

const NONE: KeyLimit = {
  ...{ rpm: null, tokens_per_day: null, usd_per_day: null, log_rows_per_day: null, concurrency: null },
  stored_bytes: LIMITS.stored_bytes,
};
const NOTHING = { ended: [], tokens: 0, usd: 0, log_rows: 0 };
const LOG = { log_rows_per_day: LIMITS.log_rows_per_day };
/** The beginning of a minute and of a day. */
const MIDNIGHT = 20_000 * 86_400_000;

describe("KEY_LIMITS", () => {
  it("gives each key its own, and every other those of the star", () => {
    const limits = parseKeyLimits("trainer:rpm=600,tokens_per_day=50000000,concurrency=8;*:rpm=60");
    expect(limitOf(limits, "trainer")).toEqual({
      ...LOG,
      rpm: 600,
      tokens_per_day: 50_000_000,
      usd_per_day: null,
      concurrency: 8,
      stored_bytes: LIMITS.stored_bytes,
    });
    expect(limitOf(limits, "other")).toEqual({ ...NONE, ...LOG, rpm: 60 });
    expect(limitOf(limits, null)).toEqual({ ...NONE, ...LOG, rpm: 60 });
    expect(limitOf(parseKeyLimits("trainer:rpm=1"), "other")).toEqual({ ...NONE, ...LOG });
    expect(limitOf(parseKeyLimits("a:usd_per_day=0.000001,rpm=2"), "a").usd_per_day).toBe(0.000001);
    expect(limitOf(parseKeyLimits("a:log_rows_per_day=5"), "a")).toEqual({ ...NONE, log_rows_per_day: 5 });
    expect(limitOf(parseKeyLimits("a:stored_bytes=5"), "a")).toEqual({ ...NONE, ...LOG, stored_bytes: 5 });
  });

  it.each([
    "trainer",
    "trainer:",
    "trainer:rpm=0",
    "a:rpm=1;a:rpm=2",
    "a:rpm=1,rpm=2",
    "a:rps=1",
    "a b:rpm=1",
    "a:rpm=1.5",
    "a:rpm=-1",
    "a:usd_per_day=0",
    "a:usd_per_day=0.000",
    "a:usd_per_day=1e3",
    "a:usd_per_day=.5",
    "a:usd_per_day=0.0000001",
    "a:usd_per_day=1,usd_per_day=2",
  ])("refuses %s", (text) => expect(() => parseKeyLimits(text)).toThrow(RangeError));
});

describe("the ledger", () => {
  const limit = fc.record({
    rpm: fc.option(fc.integer({ min: 1, max: 5 })),
    tokens_per_day: fc.option(fc.integer({ min: 1, max: 500 })),
    // Sums of quarters are exact.
    usd_per_day: fc.option(fc.integer({ min: 1, max: 500 }).map((quarters) => quarters / 4)),
    log_rows_per_day: fc.option(fc.integer({ min: 1, max: 500 })),
    concurrency: fc.option(fc.integer({ min: 1, max: 3 })),
    stored_bytes: fc.constant(null),
  });
  const step = fc.record({
    wait: fc.nat({ max: 40_000 }),
    ends: fc.nat({ max: 2 }),
    tokens: fc.nat({ max: 100 }),
    usd: fc.nat({ max: 100 }).map((quarters) => quarters / 4),
    log_rows: fc.nat({ max: 100 }),
  });

  it("whatever happens: never grants beyond a limit, refuses only by one that is reached, and tells what is left", () => {
    fc.assert(
      fc.property(limit, fc.array(step, { maxLength: 120 }), (limits, steps) => {
        let state: LedgerState = EMPTY_LEDGER;
        let now = MIDNIGHT;
        const open: string[] = [];
        const granted: number[] = [];
        const spent: { at: number; tokens: number; usd: number; log_rows: number }[] = [];
        steps.forEach(({ wait, ends, tokens, usd, log_rows }, i) => {
          now += wait;
          const ended = open.splice(0, ends);
          spent.push({ at: now, tokens, usd, log_rows });
          const booked = settled(state, { ended, tokens, usd, log_rows }, now);
          const result = grant(booked, limits, `${i}`, now);
          state = JSON.parse(JSON.stringify(result.state)) as LedgerState;
          const today = spent.filter(({ at }) => Math.floor(at / 86_400_000) === Math.floor(now / 86_400_000));
          const used = {
            rpm: granted.filter((at) => Math.floor(at / 60_000) === Math.floor(now / 60_000)).length,
            tokens_per_day: today.reduce((sum, entry) => sum + entry.tokens, 0),
            usd_per_day: today.reduce((sum, entry) => sum + entry.usd, 0),
            log_rows_per_day: today.reduce((sum, entry) => sum + entry.log_rows, 0),
            concurrency: open.length,
            stored_bytes: 0,
          };
          const reached = (["rpm", "tokens_per_day", "usd_per_day", "log_rows_per_day", "concurrency"] as const).filter(
            (name) => limits[name] !== null && used[name] >= (limits[name] as number),
          );
          expect(result.grant.refused_by).toBe(reached[0] ?? null);
          if (reached.length > 0) {
            expect(result.grant.retry_after_s).toBeGreaterThan(0);
            return;
          }
          granted.push(now);
          if (limits.concurrency !== null) open.push(`${i}`);
          for (const { limit: name, quota, remaining } of result.grant.limits) {
            const after = used[name] + (name.endsWith("_per_day") ? 0 : 1);
            expect(remaining).toBe(Math.max(0, quota - after));
          }
        });
      }),
    );
  });

  it("gives a lease back by itself when its end was never told", () => {
    const limits = { ...NONE, concurrency: 1 };
    const { state } = grant(settled(EMPTY_LEDGER, NOTHING, MIDNIGHT), limits, "lost", MIDNIGHT);
    const before = MIDNIGHT + LIMITS.key_lease_ms - 1;
    expect(grant(settled(state, NOTHING, before), limits, "next", before).grant.refused_by).toBe("concurrency");
    expect(grant(settled(state, NOTHING, before + 1), limits, "next", before + 1).grant.refused_by).toBeNull();
  });

  it("says to wait until the window's end", () => {
    const limits = { ...NONE, rpm: 1, tokens_per_day: 10 };
    const now = MIDNIGHT + 18_000;
    const { state } = grant(settled(EMPTY_LEDGER, NOTHING, now), limits, "a", now);
    expect(grant(settled(state, NOTHING, now), limits, "b", now).grant).toMatchObject({
      refused_by: "rpm",
      retry_after_s: 42,
    });
    const spent = settled(EMPTY_LEDGER, { ...NOTHING, tokens: 10 }, now);
    expect(grant(spent, limits, "c", now).grant).toMatchObject({ refused_by: "tokens_per_day", retry_after_s: 86_382 });
  });
});
