// The benchmark of the contracts at small size: it measures answers, not refusals, and gives a
// difference.
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { benchContracts } from "../../bench/contracts-route.ts";
import { type Backends, startBackends } from "../../bench/edge-client.ts";

let backends: Backends;
beforeAll(async () => {
  backends = await startBackends();
});
afterAll(() => backends.close());

it("reports both routes' medians and their difference", async () => {
  const figures = await benchContracts(await bundleWorker(), backends, { rollouts: 2, requests: 2 }, 1);
  expect(figures.map(({ unit, goal }) => [unit, goal])).toEqual([
    ["ms p50", null],
    ["ms p50", null],
    ["ms p50", { max: 2 }],
  ]);
  const [native, rerank, added] = figures.map(({ median }) => median) as [number, number, number];
  expect(added).toBeCloseTo(rerank - native, 6);
});
