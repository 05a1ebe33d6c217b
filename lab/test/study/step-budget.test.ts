// Owns that the study of `step_budget` compares at equal generations, and that its page says what
// was reached.
import { expect, test } from "vitest";
import { stepPage, stepRows } from "../../study/step-budget.ts";

const rows = stepRows("sets/small", 4, 1);

test("every verifier and vote is played at every budget, and waits are counted", () => {
  expect(rows).toHaveLength(3 * 2 * 4);
  for (const { tau, top, rounds, even } of rows) {
    expect([tau.mean, top.mean, even].every(Number.isFinite)).toBe(true);
    expect(rounds).toBeGreaterThan(0);
  }
});

test("a budget that pays nothing beyond the first waves gains nothing", () => {
  const least = rows.filter(({ generations }) => generations === 4);
  expect(least.length).toBeGreaterThan(0);
  for (const { rounds, tau } of least) expect([rounds, tau.mean]).toEqual([1, 0]);
});

test("the page states the goal's miss first, with a row for each", () => {
  const page = stepPage("`told`", rows);
  expect(page.indexOf("missed")).toBeLessThan(page.indexOf("| verifier |"));
  expect(page.match(/^\| (strong|middle|weak) /gm)).toHaveLength(rows.length);
});
