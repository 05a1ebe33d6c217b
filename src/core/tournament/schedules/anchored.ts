// Owns the schedule `anchored`: everyone against one candidate.
import * as z from "zod";
import type { Match, Schedule } from "../schedule.ts";

/** n - 1 pairs in one wave, the anchor seeded (BRPO, arXiv 2506.00103; ArenaRL). */
export const anchored: Schedule = {
  mode: "pairwise",
  settings: z.strictObject({}),
  complete: false,
  *waves({ order: [anchor, ...others] }) {
    yield others.map((i): Match => [i, anchor as number]);
    return undefined;
  },
};
