// Owns the schedule `round_robin`: every pair of candidates.
import * as z from "zod";
import type { Match, Schedule } from "../schedule.ts";

/** n(n - 1) / 2 pairs in one wave. */
export const roundRobin: Schedule = {
  mode: "pairwise",
  settings: z.strictObject({}),
  complete: true,
  *waves({ order }) {
    const n = order.length;
    yield order.flatMap((_, i) => Array.from({ length: n - 1 - i }, (_, k): Match => [i, i + 1 + k]));
    return undefined;
  },
};
