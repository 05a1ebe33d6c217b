// The gateway's benchmark at tiny size: it runs, every verdict comes back, and it reports finite
// numbers.
import { expect, it } from "vitest";
import { benchGateway } from "../../bench/gateway.ts";

it("reports finite figures of throughput, added latency and memory", async () => {
  const figures = await benchGateway({ rounds: 1, window_ms: 50, memory_ms: 1_100 });
  expect(figures).toHaveLength(12);
  expect(new Set(figures.map(({ name }) => name)).size).toBe(12);
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  expect(figures[0]?.median).toBeGreaterThan(0);
});
