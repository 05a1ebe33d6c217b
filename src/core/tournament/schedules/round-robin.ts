// The schedule `round_robin`: every pair of candidates.
import * as z from "zod";
import type { Match, Schedule } from "./schedule.ts";

/**
 * n(n - 1) / 2 pairs in one wave. With a budget, candidates are in seeded order, so that contents determine
 * which pairs are left out.
 */
export const roundRobin: Schedule = {
  mode: "pairwise",
  settings: z.strictObject({}),
  complete: true,
  knowsPairs: () => true,
  *waves({ order, hasBudget }) {
    const line = hasBudget ? order : [...order.keys()];
    yield line.flatMap((a, k) => line.slice(k + 1).map((b): Match => [a, b]));
    return undefined;
  },
};
