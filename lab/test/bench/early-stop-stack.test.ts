// Early stop with real processes at tiny size: both arms decide every pair identically, and fewer tokens
// are generated.
import { expect, it } from "vitest";
import { benchEarlyStopStack } from "../../bench/early-stop-stack.ts";
import { isMet } from "../../bench/figures.ts";

it("decides all pairs identically with fewer tokens, and reports finite figures", async () => {
  const figures = await benchEarlyStopStack({
    rollouts: 4,
    samples: 8,
    scale: 300,
    groups: 3,
    calibration_groups: 2,
    alone_groups: 1,
    in_flight: 32,
    load_share: 0.7,
  });
  const byName = new Map(figures.map((figure) => [figure.name, figure]));
  expect(byName.size).toBe(figures.length);
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  const identical = byName.get("early stop over HTTP: identical decisions of 18 pairs");
  expect(identical && isMet(identical)).toBe(true);
  expect(byName.get("early stop over HTTP: tokens saved")?.median).toBeGreaterThan(0);
  expect(byName.get("early stop over HTTP, all: generations skipped or aborted")?.median).toBe(0);
  expect(byName.get("early stop over HTTP, majority: generations skipped or aborted")?.median).toBeGreaterThan(0);
});
