// How rewards are counted for the chart of their spread, and from which step a spec is in use.
import { expect, it } from "vitest";
import { specChanges, specStarts } from "../../scripts/build/pages/browser/spec-starts.ts";
import { evenly, spreadOf } from "../../scripts/build/pages/browser/spread.ts";
import { stepRows } from "./run-rows.ts";

it.each([
  ["each bin holds its lower end, the last one both", [[1, [0, 0.25, 0.5, 1]]], [0, 0.5, 1], [[2, 2]]],
  [
    "steps share their edges, and one without a reward is left out",
    [
      [1, [0]],
      [2, []],
      [3, [2]],
    ],
    [0, 1, 2],
    [
      [1, 0],
      [0, 1],
    ],
  ],
  [
    "equal rewards are in one bin",
    [
      [1, [3, 3]],
      [2, [3]],
    ],
    [3, 3],
    [[2], [1]],
  ],
  ["no reward has no bin", [[1, []]], [], []],
  ["the difference of two rewards may be beyond a double", [[1, [-1e308, 1e308]]], [-1e308, 0, 1e308], [[1, 1]]],
] as const)("%s", (_, rewards, edges, counts) => {
  const spread = spreadOf(rewards, 2);
  expect(spread.edges).toEqual(edges);
  expect(spread.steps.map((step) => step.counts)).toEqual(counts);
});

it("steps are chosen at even distances, with the first and the last", () => {
  const steps = Array.from({ length: 2000 }, (_, step) => step);
  const chosen = evenly(steps, 70);
  expect([chosen.length, chosen[0], chosen.at(-1)]).toEqual([70, 0, 1999]);
  const distances = chosen.slice(1).map((step, i) => step - (chosen[i] as number));
  expect([Math.min(...distances), Math.max(...distances)]).toEqual([28, 29]);
  expect(evenly(steps.slice(0, 70), 70)).toEqual(steps.slice(0, 70));
});

it("a spec begins at the step that began last before its first request", () => {
  const rows = stepRows({ id: "calm", steps: 20, ill_from: null });
  const begins = (step: number) => (rows[step] as { first_at: string }).first_at;
  const spec = (spec_hash: string, first_at: string) => ({
    spec_hash,
    first_at,
    spec: {},
    requests: 1,
    cut_share: null,
  });
  const late = new Date(Date.parse(begins(12)) + 1).toISOString();
  const starts = specStarts({ specs: [spec("a", begins(0)), spec("b", begins(0)), spec("c", late)] }, rows);
  expect([...starts]).toEqual([
    ["a", 0],
    ["b", 0],
    ["c", 12],
  ]);
  expect(specChanges(starts)).toEqual([12]);
  expect(specStarts({ specs: [spec("early", new Date(0).toISOString())] }, rows).size).toBe(0);
});
