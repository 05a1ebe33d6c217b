// The schedule `circular`: each candidate meets the candidates at certain distances on a seeded ring.

import * as z from "zod";
import { said } from "#said";
import { wholeFrom } from "../../faults/bounded.ts";
import { cos } from "../../math/elementary.ts";
import type { Match, Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  degree: wholeFrom(1, "rollouts_per_group_max")
    .default(1)
    .meta(said("number of rings: each candidate meets 2 x degree others, or all others in a small group")),
});

/**
 * n x degree pairs in one wave (NeMo-Gym's genrm_compare has degree 1). The first distance is 1; each further
 * distance is the one that improves strength estimates most, that is, minimises the sum of effective
 * resistances, sum_k 1 / lambda_k with lambda_k = sum_d 2 (1 - cos(2 pi k d / n)).
 */
export const circular: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  // Ring neighbours depend on the contents of all candidates, so pairs are known early only if every
  // candidate meets every other.
  knowsPairs: ({ degree }, maxRollouts) => degree >= Math.floor(maxRollouts / 2),
  *waves({ order, settings: { degree } }) {
    const n = order.length;
    yield distances(n, degree).flatMap((d) => order.map((a, t): Match => [a, order[(t + d) % n] as number]));
    return undefined;
  },
};

/** Chosen distances on a ring of n, at most n / 2 of them; the first is always 1. */
export function distances(n: number, degree: number): number[] {
  const open = Array.from({ length: Math.floor(n / 2) }, (_, d) => d + 1);
  const gap = (k: number, d: number) => 2 - 2 * cos((2 * Math.PI * k * d) / n);
  const eigenvalues = Array.from({ length: Math.max(0, n - 1) }, () => 0);
  const chosen: number[] = [];
  while (chosen.length < degree && open.length > 0) {
    const cost = (d: number) => eigenvalues.reduce((sum, eigenvalue, k) => sum + 1 / (eigenvalue + gap(k + 1, d)), 0);
    const best = chosen.length === 0 ? 1 : open.reduce((a, b) => (cost(b) < cost(a) - 1e-12 ? b : a));
    chosen.push(best);
    open.splice(open.indexOf(best), 1);
    for (const k of eigenvalues.keys()) eigenvalues[k] = (eigenvalues[k] as number) + gap(k + 1, best);
  }
  return chosen;
}
