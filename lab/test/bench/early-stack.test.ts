// Asking before a group is complete over the processes at tiny size: something is asked early, and
// the rewards of both arms are equal, else the benchmark throws.
import { expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { benchEarlyStack } from "../../bench/early-stack.ts";

it("asks early and rewards alike, and says finite figures", async () => {
  const load = { sizes: [{ rollouts: 4, max: 1 }], groups: [4], spread: 2, generation_ms: 200, slots: 4, repeats: 1 };
  const figures = await benchEarlyStack(await bundleWorker(), load);
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  const early = figures.find(({ name }) => name.includes("asked before the last came"));
  expect(early?.median).toBeGreaterThan(0);
});
