// Holds that nothing an isolate has counted is lost or counted twice on its way to the totals.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { SeriesCount } from "../../src/core/load/metric-registry.ts";
import { type CountsStub, createDeploymentCounts } from "../../src/objects/counts/remote.ts";
import { Metrics } from "../../src/platform/counters.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Totals that do as they are scripted at each call. */
function setUp(calls: (() => Promise<void>)[] = []) {
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
  const counts = createDeploymentCounts(metrics, { getByName: () => stub }, Date.now);
  const failures = () => Number(/kritai_log_failures_total (\d+)/.exec(totals.render())?.[1] ?? 0);
  return { metrics, counts, failures, asked: () => asked };
}

test("requests of the same two seconds share one call, which takes along what all of them counted", async () => {
  const { metrics, counts, failures, asked } = setUp();
  const flushes = [0, 1, 2].map(() => {
    metrics.add("kritai_log_failures_total", 1);
    return counts.flush();
  });
  await vi.advanceTimersByTimeAsync(LIMITS.counts_flush_ms);
  await Promise.all(flushes);
  expect([asked(), failures()]).toEqual([1, 3]);
  metrics.add("kritai_log_failures_total", 1);
  const next = counts.flush();
  await vi.advanceTimersByTimeAsync(LIMITS.counts_flush_ms);
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
  await vi.advanceTimersByTimeAsync(LIMITS.counts_timeout_ms);
  await refused;
  late.resolve();
  await counts.text();
  expect(failures()).toBe(2);
});

test("a flush whose request ended with its client is made up for by a later request's", async () => {
  const { metrics, counts, failures } = setUp();
  const pause = vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => 0 as never);
  void counts.flush();
  pause.mockRestore();
  metrics.add("kritai_log_failures_total", 1);
  vi.setSystemTime(Date.now() + 2 * LIMITS.counts_flush_ms);
  const flushed = counts.flush();
  await vi.advanceTimersByTimeAsync(LIMITS.counts_flush_ms);
  await flushed;
  expect(failures()).toBe(1);
});
