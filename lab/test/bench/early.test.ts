// Guarantees that judging before a group is complete shortens the wait for its rewards and changes none,
// also with samples that never arrive. In virtual time, at small size.
import { expect, it } from "vitest";
import { benchEarly } from "../../bench/early.ts";

const SMALL = {
  sizes: [{ rollouts: 6, max: 0.6 }],
  groups: 12,
  spreads: [2],
  lost: 0.05,
  in_flight: 24,
  repeats: 1,
  mixed: { runs: 2, steps: 2, sizes: [3, 6], spreads: [0, 1], loads: [0.8] },
};

it("early judging returns the same rewards sooner after the last sample", async () => {
  const figures = await benchEarly(SMALL);
  const of = (name: string) => figures.find((figure) => figure.name.includes(name))?.median as number;
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  expect(of("early over gathered")).toBeLessThan(1);
  expect(of("end of the step")).toBeLessThan(1.02);
  expect(of("wasted")).toBeLessThan(0.1);
  expect(of("mean reply time")).toBeLessThan(1);
});
