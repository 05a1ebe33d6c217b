// The schedule `swiss`: in each round, candidates with equal points meet; finals follow.

import * as z from "zod";
import { said } from "#said";
import { wholeFrom } from "../../faults/bounded.ts";
import { log2 } from "../../math/elementary.ts";
import { AskedPairs, standingBy } from "./finals.ts";
import { allPairs, type Match, type Outcomes, type Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  rounds: wholeFrom(1, "rollouts_per_group_max")
    .optional()
    .meta(said("number of rounds, at most n - 1; default: ceil(log2 n), followed by finals")),
});

/** Maximum number of pairs in the finals, equal to one more round. */
const finalsMost = (n: number): number => n >> 1;

const roundsOf = (n: number, named = Math.ceil(log2(n))): number => Math.max(0, Math.min(named, n - 1));

/**
 * floor(n / 2) pairs per round (ArenaRL). Sorted by points, ties in seeded order, each candidate is paired
 * with the next lower one that it has not met; if it has met all of them, its known outcome against the first
 * of them counts again. A win is 1 point and a tie 1/2, also for soft votes: opponents have equal points, so
 * a mean of shares would carry little information. If n is odd, the last candidate gets a bye worth one
 * point; in a single round it meets the first candidate instead, so that every candidate is judged. Without
 * `rounds`, up to n / 2 pairs of finals follow among unbeaten candidates with equal points. Places: by
 * points, then by the points of the opponents (Buchholz); tied candidates share the mean of their places.
 */
export const swiss: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  hasPlaces: true,
  findsBest: true,
  maxPairs(n, { rounds: named }) {
    const rounds = roundsOf(n, named);
    const more = named === undefined ? finalsMost(n) : 0;
    return Math.min(allPairs(n), rounds * (n >> 1) + (rounds === 1 ? n % 2 : 0) + more);
  },
  *waves({ order, settings }) {
    const n = order.length;
    const rounds = roundsOf(n, settings.rounds);
    const points = new Map(order.map((i) => [i, 0]));
    const asked = new AskedPairs(settings.rounds === undefined ? finalsMost(n) : 0);
    const add = (i: number, earned: number | null | undefined) =>
      points.set(i, (points.get(i) as number) + (1 + Math.sign((earned ?? 0) - 0.5)) / 2);
    const count = (wave: readonly Match[], outcomes: Outcomes) => {
      for (const [a, b] of wave as readonly (readonly [number, number])[]) {
        add(a, outcomes(a, b));
        add(b, outcomes(b, a));
      }
    };
    const buchholz = (i: number) => [...asked.opponentsOf(i)].reduce((sum, j) => sum + (points.get(j) as number), 0);
    const rankByPoints = () => standingBy(order, (i) => points.get(i) as number);
    let outcomes: Outcomes = () => undefined;
    for (let round = 0; round < rounds; round++) {
      const line = rankByPoints();
      const last = n % 2 === 1 ? (line.pop() as number) : null;
      if (last !== null && rounds > 1) add(last, 1);
      const wave = paired(line, (a, b) => asked.opponentsOf(a).has(b));
      if (last !== null && rounds === 1) wave.push([last, line[0] as number]);
      outcomes = yield asked.add(wave);
      count(wave, outcomes);
    }
    yield* asked.finals((known, wave) => {
      count(wave, known);
      const maxPoints = Math.max(...points.values());
      const leaders = order.filter((i) => points.get(i) === maxPoints);
      return asked.contenders(standingBy(leaders, buchholz), known);
    }, outcomes);
    return shared(
      n,
      order.map((i) => [i, points.get(i) as number, buchholz(i)]),
    );
  },
};

/** Pairs neighbours in a list of even length, avoiding pairs that have already met where possible. */
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

/**
 * Places in [0, 1] by points, then by the third number of each entry; tied candidates share the mean of their
 * places.
 */
function shared(n: number, entries: readonly (readonly [number, number, number])[]): number[] {
  const places = new Array<number>(n).fill(0);
  for (const [i, points, second] of entries) {
    const above = entries.filter(([, p, s]) => p > points || (p === points && s > second)).length;
    const equal = entries.filter(([, p, s]) => p === points && s === second).length;
    places[i] = n < 2 ? 0 : (n - 1 - above - (equal - 1) / 2) / (n - 1);
  }
  return places;
}
