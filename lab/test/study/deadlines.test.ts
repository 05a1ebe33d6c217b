// The goal of a ranking whose deadline comes before its last comparison: every document is returned, the best
// is near the top, and no fixed ring with equal calls does better.
import { expect, test } from "vitest";
import { deadlineRows, deadlinesCsv, deadlinesPage } from "../../study/deadlines.ts";

const plan = { judges: ["exact"], sizes: [32], trials: 24, waves: false };
const rows = await deadlineRows({ ...plan, deadlines: [2.5] });
const rowOf = (way: string) => rows.find((row) => row.way === way);

test("all of 32 documents are returned at 2.5 s, with the best among the first three in at least 80 %", () => {
  const even = rowOf("all pairs");
  expect(even?.returned).toBe(32);
  expect(even?.top).toBeGreaterThanOrEqual(0.8);
  expect(even?.answered).toBeLessThan(300);
  expect(even?.top).toBeGreaterThan(rowOf("all pairs, by index")?.top as number);
});

test("all pairs, cut off, are not worse than circular with equal calls", () => {
  const { top, half } = rowOf("all pairs")?.gain ?? { top: -1, half: 0 };
  expect(top + half).toBeGreaterThanOrEqual(0);
});

test("the page reports the result, and page and data contain every schedule", () => {
  const page = deadlinesPage("`told`", [plan.trials, plan.trials], rows, rows, "deadlines");
  expect(page).toContain("32.0 returned, the best among the first three in 100.0 +- 0.0 %");
  for (const { way } of rows) expect(page).toContain(`| ${way} |`);
  const [head, ...lines] = deadlinesCsv(rows).trim().split("\n");
  expect([head?.split(",").length, lines.length]).toEqual([11, rows.length]);
  for (const { way } of rows) expect(lines.some((line) => line.includes(way))).toBe(true);
});
