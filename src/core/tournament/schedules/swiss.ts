// Owns the schedule `swiss`: round after round those of equal points against each other.

import * as z from "zod";
import { said } from "#said";
import { wholeFrom } from "../../faults/bounded.ts";
import type { Outcomes, Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  rounds: wholeFrom(1, "rollouts_per_group_max").optional().meta(said("default: ceil(log2 n); never more than n - 1")),
});

/**
 * floor(n / 2) pairs a round (ArenaRL). By points, in the seeded order among equals, each takes the
 * next below whom it has not met; where all below were met, what is known of the first counts
 * again. Of an odd number the last is left out for a point. Places: by points, then by the points
 * of those met (Buchholz); equals share their places' mean.
 */
export const swiss: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  freePoint: true,
  most: (n, { rounds = Math.ceil(Math.log2(n)) }) => Math.max(0, Math.min(rounds, n - 1)) * (n >> 1),
  *waves({ order, settings }) {
    const n = order.length;
    const rounds = Math.min(settings.rounds ?? Math.ceil(Math.log2(n)), n - 1);
    const points = new Map(order.map((i) => [i, 0]));
    const met = new Map(order.map((i) => [i, new Set<number>()]));
    const add = (i: number, earned: number | null | undefined) =>
      points.set(i, (points.get(i) as number) + (earned ?? 0));
    for (let round = 0; round < rounds; round++) {
      const line = [...order].sort((a, b) => (points.get(b) as number) - (points.get(a) as number));
      if (n % 2 === 1) add(line.pop() as number, 1);
      const wave = paired(line, (a, b) => met.get(a)?.has(b) === true);
      const outcomes: Outcomes = yield wave;
      for (const [a, b] of wave) {
        add(a, outcomes(a, b));
        add(b, outcomes(b, a));
        met.get(a)?.add(b);
        met.get(b)?.add(a);
      }
    }
    const buchholz = (i: number) =>
      [...(met.get(i) as Set<number>)].reduce((sum, j) => sum + (points.get(j) as number), 0);
    return shared(
      n,
      order.map((i) => [i, points.get(i) as number, buchholz(i)]),
    );
  },
};

/** Neighbours of a line of even length that have not met, as far as it goes. */
function paired(line: readonly number[], haveMet: (a: number, b: number) => boolean): [number, number][] {
  const open = [...line];
  const pairs: [number, number][] = [];
  while (open.length > 1) {
    const a = open.shift() as number;
    const at = Math.max(
      0,
      open.findIndex((b) => !haveMet(a, b)),
    );
    pairs.push([a, open.splice(at, 1)[0] as number]);
  }
  return pairs;
}

/** Places in [0, 1] by points, then by the second number; equals share the mean of theirs. */
function shared(n: number, entries: readonly (readonly [number, number, number])[]): number[] {
  const places = new Array<number>(n).fill(0);
  for (const [i, points, second] of entries) {
    const above = entries.filter(([, p, s]) => p > points || (p === points && s > second)).length;
    const equal = entries.filter(([, p, s]) => p === points && s === second).length;
    places[i] = n < 2 ? 0 : (n - 1 - above - (equal - 1) / 2) / (n - 1);
  }
  return places;
}
