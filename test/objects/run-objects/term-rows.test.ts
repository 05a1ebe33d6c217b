// What a run's list keeps of its judges' taste: settled by step, each request once, of few judges, and
// no longer than the run.
import { expect, test } from "vitest";
import { NO_SUMS, withShare } from "../../../src/core/tournament/covariates.ts";
import { RunObjectList } from "../../../src/objects/run-objects/list.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";

const NOW = Date.UTC(2026, 10, 26);
const DAY_MS = 86_400_000;

const listOf = () => new RunObjectList(memoryValues(() => undefined));

/** Groups that all tell the same of length, and a little more or less. */
function sums(groups: number, each: number) {
  let length = NO_SUMS;
  for (let g = 0; g < groups; g++) length = withShare(length, { above: each + (g % 2 ? 0.1 : -0.1), below: 1 });
  return { length };
}

test("a step has what the steps before taught, whoever of it asks when", () => {
  const list = listOf();
  expect(list.termsAt("j", 0, NOW)).toBeNull();
  list.learn("j", sums(100, 0.5), "a", NOW);
  expect(list.termsAt("j", 0, NOW)).toBeNull();
  expect(list.termsAt("j", 1, NOW)?.length).toBeCloseTo(0.5, 9);
  list.learn("j", sums(1000, 0.9), "b", NOW);
  expect(list.termsAt("j", 1, NOW)?.length).toBeCloseTo(0.5, 9);
  // Changed when twice as many steps have been.
  expect(list.termsAt("j", 2, NOW)?.length).toBeCloseTo(0.5, 9);
  expect(list.termsAt("j", 3, NOW)?.length).toBeGreaterThan(0.8);
  expect(list.termsAt("j", 1, NOW)?.length).toBeCloseTo(0.5, 9);
  expect(list.termsAt("j", 0, NOW)).toBeNull();
});

test("a request counts once, and chance is taken out of nothing", () => {
  const list = listOf();
  for (let times = 0; times < 3; times++) list.learn("j", sums(30, 0.5), "a", NOW);
  expect(list.termsAt("j", 1, NOW)).toBeNull();
  list.learn("k", sums(200, 0.001), "a", NOW);
  expect(list.termsAt("k", 1, NOW)).toEqual({ length: 0 });
});

test("of more judges than a run has room for nothing is learnt", () => {
  const list = listOf();
  for (let judge = 0; judge < 20; judge++) list.learn(`j${judge}`, sums(100, 0.5), "a", NOW);
  const known = Array.from({ length: 20 }, (_, judge) => list.termsAt(`j${judge}`, 1, NOW));
  expect(known.filter((terms) => terms !== null)).toHaveLength(16);
});

test("it goes with the run, and 21 days after the last step", async () => {
  const list = listOf();
  list.learn("j", sums(100, 0.5), "01", NOW);
  await list.wake(NOW + 20 * DAY_MS);
  expect(list.termsAt("j", 1, NOW)).not.toBeNull();
  list.markDeleted("02", 10, NOW);
  expect(list.termsAt("j", 1, NOW)).toBeNull();
  list.learn("j", sums(100, 0.5), "01", NOW);
  expect(list.termsAt("j", 2, NOW)).toBeNull();
  const other = listOf();
  other.learn("j", sums(100, 0.5), "01", NOW);
  await other.wake(NOW + 22 * DAY_MS);
  expect(other.isNone).toBe(true);
});
