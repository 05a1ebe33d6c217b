// A report's differences: only those that an interval shows.
import { describe, expect, it } from "vitest";
import { besideGuessing } from "../../evaluate/headline.ts";
import { classifyEstimate, pairedDifference, pairedTauDifference } from "../../evaluate/paired.ts";
import { differencesOf, differenceText, pairedTables } from "../../evaluate/tables.ts";

const STATISTICS = { seed: 1, bootstrap: 500 };
const cell = (rights: readonly number[], of = 4) => ({
  by_problem: Object.fromEntries(
    rights.map((right, i) => [`p${i}`, { right, wrong: of - right, no_selection: 0, right_lists: {}, tau_b: {} }]),
  ),
});

describe("a paired difference", () => {
  const [strong, weak] = [cell([4, 4, 3, 4, 4, 3, 4, 4]), cell([2, 1, 2, 2, 1, 2, 2, 1])];

  it("is the mean over lists, with an interval, and its opposite the other way round", () => {
    const [there, back] = [pairedDifference(strong, weak, STATISTICS), pairedDifference(weak, strong, STATISTICS)];
    expect(there.mean).toBeCloseTo(17 / 32, 12);
    expect(back.mean).toBeCloseTo(-17 / 32, 12);
    expect(there.ci95?.[0]).toBeGreaterThan(0);
    expect(there.n).toBe(32);
  });

  it("excludes problems of which one side answered fewer lists", () => {
    const short = {
      by_problem: { ...weak.by_problem, p0: { right: 0, wrong: 1, no_selection: 0, right_lists: {}, tau_b: {} } },
    };
    expect(pairedDifference(strong, short, STATISTICS).n).toBe(28);
  });

  it("is taken list by list, over those that both answered", () => {
    const of = (right_lists: Record<string, boolean>) => {
      const right = Object.values(right_lists).filter(Boolean).length;
      const wrong = Object.keys(right_lists).length - right;
      return { by_problem: { p: { right, wrong, no_selection: 0, right_lists, tau_b: {} } } };
    };
    const [one, other] = [of({ a: true, b: true }), of({ b: true, c: false })];
    // The same number of lists of the problem, but only b is in both.
    expect(pairedDifference(one, other, STATISTICS)).toMatchObject({ mean: 0, n: 1 });
    expect(pairedDifference(one, of({ c: true, d: true }), STATISTICS)).toMatchObject({ mean: null, n: 0 });
  });

  it("is reported as better, worse or not distinguishable", () => {
    const noisy = cell([4, 2, 4, 3, 4, 4, 4, 4]);
    const pairs = [weak, noisy].map((one, i) => ({ label: `c${i + 1}`, against: "c0", row: one, other: strong }));
    const [table, ...more] = pairedTables(differencesOf(pairs, STATISTICS));
    expect(more).toEqual([]);
    const rows = table?.rows.map((row) => [row[0], row[1], row[4]]);
    expect(rows).toEqual([
      ["c1", "c0", "worse"],
      ["c2", "c0", "not distinguishable"],
    ]);
    expect(pairedTables([])).toEqual([]);
  });
});

describe("a paired difference of tau-b", () => {
  const taus = (...by: Record<string, number>[]) => ({
    by_problem: Object.fromEntries(
      by.map((tau_b, i) => [`p${i}`, { right: 0, wrong: 0, no_selection: 0, right_lists: {}, tau_b }]),
    ),
  });

  it("is taken list by list, over those of which both sides have one", () => {
    const one = taus({ a: 1, b: 0.5 }, { c: 0.25, d: -1 });
    const other = taus({ a: 0.5, b: 0.5 }, { c: -0.5, e: 1 });
    const { mean, ci95, n } = pairedTauDifference(one, other, STATISTICS);
    expect(mean).toBeCloseTo((0.5 + 0 + 0.75) / 3, 12);
    expect(n).toBe(3);
    // Two problems say only where differences lie.
    expect(ci95).toEqual([-2, 2]);
    expect(pairedTauDifference(taus({ a: 1 }), taus({ b: 1 }), STATISTICS)).toMatchObject({ mean: null, n: 0 });
  });

  it("has a separate table if lists have a tau-b", () => {
    const better = taus(...Array.from({ length: 8 }, (_, i) => ({ [`l${i}`]: 0.75 + 0.01 * i })));
    const worse = taus(...Array.from({ length: 8 }, (_, i) => ({ [`l${i}`]: 0.25 })));
    const told = differencesOf([{ label: "b", against: "w", row: better, other: worse }], STATISTICS);
    const [, table] = pairedTables(told);
    expect(table?.caption).toMatch(/^Paired differences in tau-b/);
    expect(table?.rows.map(([label, against, , lists, so]) => [label, against, lists, so])).toEqual([
      ["b", "w", 8, "better"],
    ]);
    const [line] = told.map(differenceText);
    expect(line).toContain("b minus w: ListAcc");
    expect(line).toMatch(/tau-b 0\.535\s.*better/);
  });
});

it("a ListAcc whose interval contains chance is not distinguishable from chance", () => {
  const of = (mean: number, ci95: [number, number] | null) => ({ list_acc: { mean, ci95, n: 10 } });
  expect(besideGuessing(of(0.3, [0.2, 0.4]), 0.25)).toBe("not distinguishable from chance");
  expect(besideGuessing(of(0.6, [0.5, 0.7]), 0.25)).toBe("above chance");
  expect(besideGuessing(of(0.1, [0.05, 0.2]), 0.25)).toBe("below chance");
  expect(besideGuessing(of(0.6, null), 0.25)).toContain("no interval");
  expect(classifyEstimate({ mean: null, ci95: null }, 0)).toBe("unknown");
});
