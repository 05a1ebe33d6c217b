// The schedule `anchored`: everyone against one candidate.

import * as z from "zod";
import { said } from "#said";
import type { Match, Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  anchor: z
    .enum(["seeded", "reference"])
    .default("seeded")
    .meta(
      said(
        "`seeded`: one of the group; `reference`: the group's own `reference`, which is not rewarded, so that a group of one has a reward",
      ),
    ),
  shown: z
    .enum(["seeded", "first"])
    .default("seeded")
    .meta(said("where the anchor stands in a pair asked in one order: `first` in all is the same for everyone else")),
});

/**
 * n - 1 pairs in one wave, the anchor seeded (BRPO, arXiv 2506.00103; ArenaRL), or n against the
 * group's reference.
 */
export const anchored: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  unequalGames: ({ anchor }) => anchor !== "reference",
  listsInOrder: ({ shown }) => shown === "first",
  needsReference: ({ anchor }) => anchor === "reference",
  // The choice of the anchor depends on the contents of all.
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
