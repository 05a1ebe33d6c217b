// The benchmark of the two ways to the run log, at tiny size: both answer with the same rows.
import { expect, it } from "vitest";
import { benchHyperdrive } from "../../bench/hyperdrive.ts";

it("reads a run over HTTP and over the binding, and reports both and their ratio", async () => {
  const figures = await benchHyperdrive({ groups: 1, requests: 1, delays_ms: [1] });
  expect(figures.map(({ unit }) => unit)).toEqual(["ms", "ms", "ratio", "ms", "ms", "ratio"]);
  // There and back, in each.
  for (const { name, unit, min } of figures) if (unit === "ms") expect(min, name).toBeGreaterThan(2);
});
