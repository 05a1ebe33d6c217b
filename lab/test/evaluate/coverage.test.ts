// Selective accuracy of a verifier that may abstain: margins, coverage, the area under the risk curve.
import { expect, test } from "vitest";
import fc from "../../../test/harness/property.ts";
import { areaUnderRisk, coverageOf, type Judged, marginOf, SHARES } from "../../evaluate/figures/coverage.ts";

const judged = (...lists: (readonly [right: boolean, margin: number | null])[]): Judged[] =>
  lists.map(([right, margin], i) => ({ right, margin, problem: `p${i}` }));
const STATISTICS = { seed: 1, bootstrap: 200 };
const accuracies = (lists: readonly Judged[]) => coverageOf(lists, STATISTICS).map(({ list_acc }) => list_acc.mean);

test("a margin is the winner's lead over the runner-up, relative to the possible wins", () => {
  expect(marginOf([3, 2, 1, 0])).toBeCloseTo(1 / 3, 15);
  expect(marginOf([0, 2, 0])).toBe(1);
  expect(marginOf([1, 1])).toBe(0);
  expect(marginOf([2, null, 0])).toBeNull();
  expect(marginOf([0])).toBeNull();
});

test("lists with the widest margins come first, and ties are weighted equally", () => {
  const lists = judged([true, 1], [true, 0.5], [false, 0.5], [false, null]);
  // All; 3.6 of 4; 3; the first and half of the two; the first.
  expect(accuracies(lists)).toEqual([0.5, 2 / 3.6, 2 / 3, 0.75, 1]);
  expect(coverageOf(lists, STATISTICS).map(({ margin }) => margin)).toEqual([null, null, 0.5, 0.5, 1]);
  // By hand: risks of the k surest are 0, 1/4, 1/3 and 1/2.
  expect(areaUnderRisk(lists)).toBeCloseTo((0 + 1 / 4 + 1 / 3 + 1 / 2) / 4, 15);
});

test("uninformative margins change nothing; perfect margins give no risk until the wrong lists come", () => {
  const flat = judged([true, 0.5], [false, 0.5], [true, 0.5], [true, 0.5]);
  expect(accuracies(flat)).toEqual(Array(SHARES.length).fill(0.75));
  expect(areaUnderRisk(flat)).toBeCloseTo(0.25, 15);
  expect(accuracies(judged([true, 1], [true, 0.9], [false, 0.1], [false, 0]))).toEqual([0.5, 2 / 3.6, 2 / 3, 1, 1]);
  expect([coverageOf([], STATISTICS), areaUnderRisk([])]).toEqual([[], null]);
});

test("the area is the mean over all orders of lists with equal margins", () => {
  const list = fc.tuple(fc.boolean(), fc.constantFrom(null, 0, 0.5, 1));
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 6 }), (lists) => {
      const own = judged(...lists);
      const order = (one: Judged) => one.margin ?? -1;
      const means = permutations(own)
        .filter((all) => all.every((one, i) => i === 0 || order(all[i - 1] as Judged) >= order(one)))
        .map((all) => {
          let wrong = 0;
          const risks = all.map(({ right }, k) => {
            wrong += Number(!right);
            return wrong / (k + 1);
          });
          return risks.reduce((sum, risk) => sum + risk, 0) / all.length;
        });
      expect(areaUnderRisk(own)).toBeCloseTo(means.reduce((sum, mean) => sum + mean, 0) / means.length, 12);
    }),
    { numRuns: 50 },
  );
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
