// The schedule `anchored`: every candidate is compared with one anchor.

import * as z from "zod";
import { said } from "#said";
import type { Match, Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  anchor: z
    .enum(["seeded", "reference"])
    .default("seeded")
    .meta(
      said(
        "`seeded`: a candidate chosen by the seed; `reference`: the group's `reference`, which receives no reward, so that even a group of one has a reward",
      ),
    ),
  shown: z
    .enum(["seeded", "first"])
    .default("seeded")
    .meta(
      said(
        "which candidate is shown first in a pair that is asked in one order: `seeded` (default): chosen by the seed; `first`: the anchor, so that position bias is the same for all other candidates",
      ),
    ),
});

/**
 * n - 1 pairs in one wave against a seeded anchor (BRPO, arXiv 2506.00103; ArenaRL), or n pairs against the
 * group's reference.
 */
export const anchored: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  unequalGames: ({ anchor }) => anchor !== "reference",
  listsInOrder: ({ shown }) => shown === "first",
  needsReference: ({ anchor }) => anchor === "reference",
  // A seeded anchor depends on the contents of all candidates, so pairs are known early only with the
  // reference.
  knowsPairs: ({ anchor }) => anchor === "reference",
  *waves({ order, settings, reference }) {
    const anchor = settings.anchor === "reference" ? reference : order[0];
    if (anchor !== undefined)
      yield order.flatMap((i): Match[] =>
        i === anchor ? [] : [settings.shown === "first" ? [anchor, i] : [i, anchor]],
      );
    return undefined;
  },
};
