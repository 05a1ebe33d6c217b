// The hedging benchmark at small size: hedging cuts the tail within its share of extra traffic, and
// the retry budget holds.
import { expect, it } from "vitest";
import { isMet } from "../../bench/figures.ts";
import { benchHedging } from "../../bench/hedging.ts";

it("cuts p99 to less than half at no more than 5 % extra, and does not multiply the traffic of a failing backend", async () => {
  const figures = await benchHedging({ questions: 2_000, rounds: 1 });
  expect(figures).toHaveLength(3);
  for (const made of figures) expect(isMet(made), `${made.name}: ${made.median}`).toBe(true);
});
