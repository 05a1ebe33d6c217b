// The schedule `active`: a ring, then waves of the most informative pairs (active learning). A budget ends
// the schedule early and is spent on those pairs; without a budget, every pair is asked.

import * as z from "zod";
import { circular } from "./circular.ts";
import { spaced, unasked, worthIn } from "./pair-worth.ts";
import { allPairs, type Match, type Schedule, strengthsOf } from "./schedule.ts";

/**
 * A ring, then waves of n / 2 pairs, starting with the most valuable ones (pair-worth.ts). No candidate is in
 * more than two pairs of a wave.
 */
export const active: Schedule = {
  mode: "pairwise",
  settings: z.strictObject({}),
  complete: false,
  unequalGames: () => true,
  maxPairs: allPairs,
  *waves(field) {
    const { order, graded } = field;
    const n = order.length;
    const ring = circular.waves({ ...field, settings: { degree: 1 } }).next();
    const asked = [...(ring.value ?? [])] as Match[];
    let outcomes = yield asked;
    const open = unasked(order, asked);
    while (open.length > 0) {
      const worthOf = worthIn(strengthsOf(n, asked, outcomes, graded));
      const worth = new Map(open.map((match) => [match, worthOf(match)]));
      open.sort((a, b) => (worth.get(b) as number) - (worth.get(a) as number));
      const wave = spaced(open, Math.max(1, n >> 1));
      for (const match of wave) open.splice(open.indexOf(match), 1);
      asked.push(...wave);
      outcomes = yield wave;
    }
    return undefined;
  },
};
