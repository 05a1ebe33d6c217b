// Guarantees that schedules in waves do not idle a loaded engine: a step of them takes at most 1.3 times as
// long as one wave of as many questions. In virtual time, at small size.
import { expect, it } from "vitest";
import { isMet } from "../../bench/figures.ts";
import { benchWaves } from "../../bench/waves.ts";

const SMALL = { rollouts: 6, groups: 32, small: { groups: 2, steps: 2 }, load_share: 0.72, in_flight: 24 };

it("a step of groups in waves keeps the engine as busy as one wave with the same comparisons", async () => {
  const figures = await benchWaves(SMALL, ["swiss", "knockout", "pivot"]);
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  const steps = figures.filter(({ name }) => name.includes("step of 32 groups, relative"));
  expect(steps).toHaveLength(3);
  for (const step of steps) expect(isMet(step), `${step.name}: ${step.median}`).toBe(true);
});
