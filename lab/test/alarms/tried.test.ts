// Tests false positives and detections of alarms, on simulated runs of one size: the whole table is
// lab/results/alarms.md.
import { expect, test } from "vitest";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import { tried } from "../../alarms/tried.ts";

test("each alarm fires in at most 1 of 20 healthy runs of each kind of 4 groups of 8, and detects its fault in at least 4 of 5", () => {
  const all = tried({ groups: 4, n: 8, seed: 0 }, { healthy: 20, faulty: 5, steps: 300 });
  expect(all.map(({ alarm }) => alarm).sort()).toEqual(ALARMS.map(({ name }) => name).sort());
  for (const { alarm, on, found } of all) {
    for (const runs of on) expect(runs, alarm).toBeLessThanOrEqual(1);
    expect(found, alarm).toBeGreaterThanOrEqual(4);
  }
});
