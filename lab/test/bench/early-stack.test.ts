// Early judging with real processes at tiny size: some comparisons are sent before the group is complete, and
// both arms give equal rewards (the benchmark throws otherwise).
import { expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { benchEarlyStack } from "../../bench/early-stack.ts";

it("sends comparisons early, gives the same rewards and reports finite figures", async () => {
  const load = { sizes: [{ rollouts: 4, max: 1 }], groups: [4], spread: 2, generation_ms: 200, slots: 4, repeats: 1 };
  const figures = await benchEarlyStack(await bundleWorker(), load);
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  const early = figures.find(({ name }) => name.includes("comparisons sent before the last arrival"));
  expect(early?.median).toBeGreaterThan(0);
});
