// Owns the guarantee that ending what cannot matter costs no more tokens than letting it run, and
// selects the same. In virtual time, at small size.
import { expect, it } from "vitest";
import { isMet } from "../../../scripts/lab/bench/figures.ts";
import { benchGivingUp } from "../../../scripts/lab/bench/giving-up.ts";

it("ends some of what runs, selects the same rollouts, and generates fewer tokens", async () => {
  const load = { models: ["sim-1.5b"], rollouts: [10], groups: 6, in_flight: { busy: 24, idle: 512 } } as const;
  const shares = (await benchGivingUp(load)).filter(({ unit }) => unit === "share");
  expect(shares).toHaveLength(2);
  for (const share of shares) {
    expect(isMet(share), share.name).toBe(true);
    expect(share.median, share.name).toBeLessThan(1);
  }
});
