// Owns the schedule `pivot`: a ring, and then everyone against those who did best in it.
import * as z from "zod";
import { wholeFrom } from "../../faults/bounded.ts";
import { allPairs, type Match, meanOutcome, type Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  pivots: wholeFrom(1, "rollouts_per_group_max").default(2),
});

/**
 * At most n + k(n - k) + k(k - 1) / 2 pairs in two waves (LLM-as-a-Verifier). The pivots are the k
 * best by mean outcome in the ring, equals in seeded order; a pair of the ring is not asked again.
 */
export const pivot: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  most: (n, { pivots }) => {
    const k = Math.min(pivots, n);
    return Math.min(allPairs(n), n + k * (n - k) + allPairs(k));
  },
  *waves({ order, settings }) {
    const n = order.length;
    const at = (t: number) => order[(t + n) % n] as number;
    const outcomes = yield order.map((a, t): Match => [a, at(t + 1)]);
    const won = order.map((i, t) => ({ i, mean: meanOutcome(outcomes, i, [at(t - 1), at(t + 1)]) }));
    const pivots = won
      .sort((a, b) => b.mean - a.mean)
      .map(({ i }) => i)
      .slice(0, settings.pivots);
    yield pivots.flatMap((p, k) => order.flatMap((i): Match[] => (pivots.slice(0, k + 1).includes(i) ? [] : [[i, p]])));
    return undefined;
  },
};
