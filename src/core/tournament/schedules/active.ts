// Owns the schedule `active`: wave after wave the pairs of which an answer says most, until the
// order is sure.
import * as z from "zod";
import { type Fit, orderConfidence, pairPosterior, sigmoid } from "../../math/bradley-terry.ts";
import { type Match, type Schedule, strengthsOf } from "../schedule.ts";
import { circular } from "./circular.ts";

const SETTINGS = z.strictObject({
  sure: z
    .number()
    .gt(0)
    .max(1)
    .default(0.95)
    .meta({ description: "ends when the best is the best with this probability, and tau-b expected so high" }),
});

/**
 * A ring, then waves of n / 2 pairs, at most all pairs. Under the Bradley-Terry posterior (Laplace)
 * a pair's worth is the chance that its order is wrong times what an answer tells of its gap:
 * p (1 - p) sd^2. Nobody stands in more than two pairs of a wave.
 */
export const active: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  *waves(field) {
    const { order, settings } = field;
    const n = order.length;
    const ring = circular.waves({ ...field, settings: { degree: 1 } }).next();
    const asked = [...(ring.value ?? [])] as Match[];
    let outcomes = yield asked;
    const open = order.flatMap((a, s) =>
      order.slice(s + 1).flatMap((b): Match[] => (asked.some((m) => m.includes(a) && m.includes(b)) ? [] : [[a, b]])),
    );
    while (open.length > 0) {
      const fit = strengthsOf(n, asked, outcomes, field.graded);
      const { best, tau } = orderConfidence(fit);
      if (Math.min(best, tau) >= settings.sure) break;
      const worth = new Map(open.map((match) => [match, worthOf(fit, match as [number, number])]));
      open.sort((a, b) => (worth.get(b) as number) - (worth.get(a) as number));
      const wave = spaced(open, Math.max(1, n >> 1));
      for (const match of wave) open.splice(open.indexOf(match), 1);
      asked.push(...wave);
      outcomes = yield wave;
    }
    return undefined;
  },
};

function worthOf(fit: Fit, [i, j]: readonly [number, number]): number {
  const { variance, chance } = pairPosterior(fit, i, j);
  const p = sigmoid((fit.theta[i] as number) - (fit.theta[j] as number));
  return Math.min(chance, 1 - chance) * p * (1 - p) * variance;
}

/** The first of a line of pairs such that nobody stands in more than two. */
function spaced(line: readonly Match[], most: number): Match[] {
  const times = new Map<number, number>();
  const taken: Match[] = [];
  for (const match of line) {
    if (taken.length === most) break;
    if (match.some((i) => (times.get(i) ?? 0) >= 2)) continue;
    for (const i of match) times.set(i, (times.get(i) ?? 0) + 1);
    taken.push(match);
  }
  return taken;
}
