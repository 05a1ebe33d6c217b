// Owns the schedule `active`: wave after wave the pairs of which an answer says most, until the
// order is sure.

import * as z from "zod";
import { said } from "#said";
import { activeAgain } from "./active-again.ts";
import { circular } from "./circular.ts";
import { spaced, unasked, worthIn } from "./pair-worth.ts";
import { allPairs, type Match, type Schedule, strengthsInOrder, strengthsOf } from "./schedule.ts";
import { endFit, isSure } from "./sureness.ts";

export const orderConfidenceSetting = z
  .number()
  .gt(0.5)
  .max(1)
  .optional()
  .meta(
    said("in place of `sure`: ends when the reply's order_confidence is so high, and asks most of who may be the best"),
  );

const SETTINGS = z.strictObject({
  sure: z
    .number()
    .gt(0)
    .max(1)
    .default(0.95)
    .meta(said("ends when the best is the best with this probability, and tau-b expected so high")),
  order_confidence: orderConfidenceSetting,
  again: z
    .boolean()
    .default(false)
    .meta(
      said(
        "also asks pairs again, in the other order or more often, where that tells more; takes out of strengths what being shown first earns",
      ),
    ),
});

/**
 * A ring, then waves of n / 2 pairs, at most all pairs. Under the Bradley-Terry posterior (Laplace)
 * a pair's worth is the chance that its order is wrong times what an answer tells of its gap:
 * p (1 - p) sd^2; with `order_confidence` times the chances of its two to be the best of all.
 * Nobody stands in more than two pairs of a wave.
 */
export const active: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  endsOf: "sure",
  most: allPairs,
  repeats: ({ again }) => again,
  listsInOrder: ({ again }) => again,
  worth({ order, graded, settings }, asked, outcomes) {
    const strengths = settings.again ? strengthsInOrder : strengthsOf;
    return worthIn(strengths(order.length, asked, outcomes, graded), settings.order_confidence !== undefined);
  },
  *waves(field) {
    const { order, settings } = field;
    if (settings.again) return yield* activeAgain(field, settings);
    const n = order.length;
    const ring = circular.waves({ ...field, settings: { degree: 1 } }).next();
    const asked = [...(ring.value ?? [])] as Match[];
    let outcomes = yield asked;
    const open = unasked(order, asked);
    while (open.length > 0) {
      const sure = endFit(settings, n, asked, outcomes);
      if (isSure(settings, sure)) break;
      const only = settings.order_confidence !== undefined;
      const fit = only && sure !== null ? sure : strengthsOf(n, asked, outcomes, field.graded);
      const worthOf = worthIn(fit, only);
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
