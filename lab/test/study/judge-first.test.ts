// Owns the guarantees of the study of judge.first: its judges are as accurate and as sure as stated,
// what it counts is what was asked, and its page says first where the goal is missed.
import { describe, expect, it } from "vitest";
import { type FirstRow, firstRows } from "../../study/judge-first.ts";
import { cheapestNear, firstHeadline, firstPage, firstTables, meetingGoal } from "../../study/judge-first-page.ts";

const plan = { set: "sets/small", draws: 1, sizes: [4], thinking: [0.95], direct: [0.6, 0.9, 0.95] };
const rows = firstRows(plan);
const named = (direct: number, sureness: FirstRow["sureness"], way: string) =>
  rows.find((row) => row.direct === direct && row.sureness === sureness && row.way === way) as FirstRow;

describe("the study of judge.first", () => {
  it("holds every way against the thinking judge on all pairs, and only judges below it", () => {
    expect(new Set(rows.map(({ direct }) => direct))).toEqual(new Set([0.6, 0.9]));
    for (const row of rows.filter(({ way }) => way === "thinking, all pairs")) {
      expect(row).toMatchObject({ generated: 1, tokens: 1, asked: 1, gain: { mean: 0 } });
    }
  });

  it("saves more with a better or a surer judge, and more where less counts as close", () => {
    const asked = (direct: number, sureness: FirstRow["sureness"], close: number) =>
      named(direct, sureness, `first, close to ${close}`).asked;
    expect(asked(0.9, "calibrated", 0.9)).toBeLessThan(asked(0.6, "calibrated", 0.9));
    expect(asked(0.9, "overconfident", 0.9)).toBeLessThan(asked(0.9, "calibrated", 0.9));
    expect(asked(0.9, "calibrated", 0.7)).toBeLessThan(asked(0.9, "calibrated", 0.95));
    expect(asked(0.6, "calibrated", 0.95)).toBeGreaterThan(0.9);
  });

  it("has a better order with a better direct judge alone, and the same rows every time", () => {
    const alone = (direct: number) => named(direct, "calibrated", "direct, all pairs").tau.mean as number;
    expect(alone(0.9)).toBeGreaterThan(alone(0.6));
    expect(firstRows({ ...plan, direct: [0.9] })).toEqual(rows.filter(({ direct }) => direct === 0.9));
  });

  it("tells a goal as missed where no way comes near for a third of the tokens, and as met where one does", () => {
    const some = rows.filter(({ direct, sureness }) => direct === 0.9 && sureness === "calibrated");
    const near = (generated: number) => some.map((row) => ({ ...row, generated, gain: { mean: 0, ci95: null } }));
    expect(firstHeadline(near(0.36))).toMatch(/^The goal is missed for 2 of 2 pairs of judges/);
    expect(meetingGoal(near(0.36))).toEqual([]);
    expect(firstHeadline(near(0.35))).toMatch(/^The goal is met for all 2 pairs of judges/);
    expect(cheapestNear(some.map((row) => ({ ...row, gain: { mean: -0.02, ci95: null } })))).toBeNull();
    const page = firstPage("how", rows, "judge-first");
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
    expect(page.indexOf("The goal is")).toBeLessThan(200);
    expect(firstTables(rows)["rows.csv"]?.trim().split("\n")).toHaveLength(rows.length + 1);
  });
});
