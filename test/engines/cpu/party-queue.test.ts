// Holds how parties share a sandbox, in virtual time: one that floods it with slow programs makes no other
// wait, is asked early to stay away, and loses nothing while it is alone.

import { expect, test } from "vitest";
import { PartyQueue } from "../../../gpu-backend/engines/cpu/sandbox/party-queue.ts";
import { percentile } from "../../../src/core/math/stats.ts";
import fc from "../../harness/property.ts";

interface Job {
  party: string;
  at: number;
  takes: number;
}

/** Runs jobs on these places; how long each took from its arrival on, by party. */
function simulated(arrivals: readonly Job[], places: number, limits = {}) {
  const queue = new PartyQueue<Job>({
    ...{ running_max: Math.max(1, places - 1), waiting_max: 256, wait_ms_max: 20_000, ...limits },
  });
  const coming = [...arrivals].sort((a, b) => a.at - b.at);
  const running: { job: Job; end: number }[] = [];
  const took: Record<string, number[]> = {};
  const refused: Record<string, number> = {};
  for (let now = 0; coming.length > 0 || running.length > 0; ) {
    const next = Math.min(coming[0]?.at ?? Number.POSITIVE_INFINITY, ...running.map(({ end }) => end));
    now = Math.max(now, next);
    for (const { job, end } of running.splice(0)) {
      if (end > now) running.push({ job, end });
      else {
        queue.ended(job.party, job.takes);
        took[job.party] = [...(took[job.party] ?? []), now - job.at];
      }
    }
    while (coming[0] !== undefined && coming[0].at <= now) {
      const job = coming.shift() as Job;
      if (queue.refusedMs(job.party) > 0) refused[job.party] = (refused[job.party] ?? 0) + 1;
      else queue.push(job.party, job);
    }
    while (running.length < places) {
      const started = queue.next();
      if (started === null) break;
      running.push({ job: started.job, end: now + started.job.takes });
    }
  }
  return { took, refused };
}

const p99 = (times: readonly number[] = []) =>
  percentile(
    [...times].sort((a, b) => a - b),
    0.99,
  );
const every = (party: string, ms: number, takes: number, count: number): Job[] =>
  Array.from({ length: count }, (_, i) => ({ party, at: i * ms, takes }));

test.each([2, 3, 5])("on %i places a flood of slow programs leaves another key's p99 as it was", (places) => {
  const quick = every("b", 100, 40, 500);
  const flood = every("a", 20, 10_000, 2_500);
  const alone = p99(simulated(quick, places).took.b);
  const { took, refused } = simulated([...flood, ...quick], places);
  expect(took.b).toHaveLength(500);
  expect(p99(took.b) / alone).toBeLessThanOrEqual(1.5);
  // Told at once, while what was taken in is done in time.
  expect(refused.a).toBeGreaterThan(2_000);
  expect(refused.b).toBeUndefined();
});

test("parties of slow and of quick programs get the same time where no place is free", () => {
  const limits = { waiting_max: 10_000, wait_ms_max: 1e9 };
  const jobs = [...every("slow", 0, 1_000, 60), ...every("quick", 0, 10, 2_000), ...every("other", 0, 10, 2_000)];
  const { took } = simulated(jobs, 1, limits);
  // 20 s of each: a quick one behind all slow ones would have been a minute late.
  expect(Math.max(...(took.quick ?? []))).toBeLessThan(70_000);
  expect(p99((took.quick ?? []).slice(0, 500))).toBeLessThan(25_000);
});

test("who is nobody's has every place, and is never refused", () => {
  const { took, refused } = simulated(every("", 0, 1_000, 400), 4);
  expect(refused).toEqual({});
  expect(Math.max(...(took[""] ?? []))).toBe(100_000);
});

test("every job runs once, whatever comes and goes", () => {
  const job = fc.record({
    party: fc.constantFrom("", "a", "b", "c"),
    at: fc.nat({ max: 500 }),
    takes: fc.integer({ min: 1, max: 300 }),
  });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (jobs, places) => {
      const { took, refused } = simulated(jobs, places);
      expect(refused).toEqual({});
      expect(Object.values(took).flat()).toHaveLength(jobs.length);
    }),
  );
});

test("a job that is taken back leaves the turns of the others", () => {
  const queue = new PartyQueue<number>({ running_max: 1, waiting_max: 2, wait_ms_max: 1_000 });
  for (const job of [1, 2]) queue.push("a", job);
  queue.push("b", 3);
  expect(queue.refusedMs("a")).toBeGreaterThanOrEqual(1_000);
  queue.delete("a", 1);
  expect(queue.refusedMs("a")).toBe(0);
  const parties = [queue.next(), queue.next(), queue.next()];
  expect(parties).toEqual([{ job: 2, tenant: "a" }, { job: 3, tenant: "b" }, null]);
  queue.push("b", 4);
  expect(queue.next()).toBeNull();
  queue.ended("b", 5);
  expect(queue.next()).toEqual({ job: 4, tenant: "b" });
  queue.push("c", 5);
  expect(queue.drain()).toEqual([5]);
});
