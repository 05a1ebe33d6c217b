// Holds that nothing an isolate has counted is lost or counted twice on its way to the totals.
import { beforeEach, expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { SeriesCount } from "../../src/core/load/metric-registry.ts";
import { type CountsStub, createDeploymentCounts } from "../../src/objects/counts/remote.ts";
import { Metrics } from "../../src/platform/counters.ts";
import type { Timers } from "../../src/ports/ports.ts";
import { VirtualTime } from "../harness/virtual-time.ts";

let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

/** Totals that do as they are scripted at each call. */
function setUp(calls: (() => Promise<void>)[] = [], timers: Timers = time.clock) {
  const totals = new Metrics();
  const metrics = new Metrics();
  let asked = 0;
  const take = async (counted: readonly SeriesCount[]) => {
    await calls[asked++]?.();
    totals.merge(counted);
  };
  const stub: CountsStub = {
    add: take,
    async text(counted) {
      await take(counted);
      return totals.render();
    },
  };
  const counts = createDeploymentCounts(metrics, { getByName: () => stub }, timers);
  const failures = () => Number(/kritai_log_failures_total (\d+)/.exec(totals.render())?.[1] ?? 0);
  return { metrics, counts, failures, asked: () => asked };
}

test("requests of the same two seconds share one call, which takes along what all of them counted", async () => {
  const { metrics, counts, failures, asked } = setUp();
  const flushes = [0, 1, 2].map(() => {
    metrics.add("kritai_log_failures_total", 1);
    return counts.flush();
  });
  await time.advance(LIMITS.counts_flush_ms);
  await Promise.all(flushes);
  expect([asked(), failures()]).toEqual([1, 3]);
  metrics.add("kritai_log_failures_total", 1);
  const next = counts.flush();
  await time.advance(LIMITS.counts_flush_ms);
  await next;
  expect([asked(), failures()]).toEqual([2, 4]);
});

test("what a failed call held goes with the next, and the failure is counted", async () => {
  const { metrics, counts, failures } = setUp([() => Promise.reject(new Error("gone"))]);
  metrics.add("kritai_log_failures_total", 3);
  await expect(counts.text()).rejects.toMatchObject({ code: "not_ready" });
  metrics.add("kritai_log_failures_total", 1);
  expect(await counts.text()).toContain("kritai_metrics_unreachable_total 1\n");
  expect(failures()).toBe(4);
});

test("what a call that was only late held is counted once", async () => {
  const late = Promise.withResolvers<void>();
  const { metrics, counts, failures } = setUp([() => late.promise]);
  metrics.add("kritai_log_failures_total", 2);
  const refused = expect(counts.text()).rejects.toMatchObject({ code: "not_ready" });
  await time.advance(LIMITS.counts_timeout_ms);
  await refused;
  late.resolve();
  await counts.text();
  expect(failures()).toBe(2);
});

test("a flush whose request ended with its client is made up for by a later request's", async () => {
  let ended = true;
  const { clock } = time;
  const after = (ms: number, run: () => void) => (ended ? () => {} : clock.after(ms, run));
  const { metrics, counts, failures } = setUp([], { ...clock, after });
  void counts.flush();
  ended = false;
  metrics.add("kritai_log_failures_total", 1);
  time.now += 2 * LIMITS.counts_flush_ms;
  const flushed = counts.flush();
  await time.advance(LIMITS.counts_flush_ms);
  await flushed;
  expect(failures()).toBe(1);
});
