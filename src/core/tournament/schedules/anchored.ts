// Owns the schedule `anchored`: everyone against one candidate, or against the reference solution.
import * as z from "zod";
import type { Match, Schedule } from "../schedule.ts";

const SETTINGS = z.strictObject({
  anchor: z.enum(["seeded", "reference"]).default("seeded").meta({
    description: "`seeded`: one of the rollouts; `reference`: the group's `reference`, which is not rewarded",
  }),
});

/** n - 1 pairs in one wave, n with a reference (BRPO, arXiv 2506.00103; ArenaRL). */
export const anchored: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  *waves({ order, reference }) {
    const anchor = reference ?? order[0];
    yield order.flatMap((i): Match[] => (anchor === undefined || i === anchor ? [] : [[i, anchor]]));
    return undefined;
  },
};
