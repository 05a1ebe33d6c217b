// The schedule `knockout`: a seeding round against one anchor, then a single-elimination bracket.
import * as z from "zod";
import { mean } from "../../math/stats.ts";
import { standingBy } from "./finals.ts";
import { allPairs, type Match, meanOutcome, type Outcomes, type Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({});

/**
 * At most 2(n - 1) pairs in 1 + ceil(log2 n) waves (ArenaRL; PairJudge RM, arXiv 2501.13007), fewer if a pair
 * from the seeding round meets again in the bracket. After a tie or an undecided pair, the better seed
 * advances. Places: the champion, then by round of elimination, then by mean outcome.
 */
export const knockout: Schedule = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  hasPlaces: true,
  unequalGames: () => true,
  maxPairs: (n) => Math.min(allPairs(n), 2 * Math.max(0, n - 1)),
  *waves({ order }) {
    const n = order.length;
    const [anchor, ...others] = order;
    if (anchor === undefined || n < 2) return undefined;
    let outcomes: Outcomes = yield others.map((i): Match => [i, anchor]);
    // The seeding round counts as one game per candidate, although the anchor played n - 1.
    const games = new Map(order.map((i) => [i, [meanOutcome(outcomes, i, i === anchor ? others : [anchor])]]));
    const earned = (i: number) => mean(games.get(i) as number[]);
    const seeds = standingBy(order, earned);
    let line = bracket(n).map((seed) => seeds[seed] as number);
    let behind: number[] = [];
    while (line.length > 1) {
      const free = line.length % 2 === 1 ? [line.at(-1) as number] : [];
      const pairs = Array.from(
        { length: line.length >> 1 },
        (_, k) => line.slice(2 * k, 2 * k + 2) as [number, number],
      );
      outcomes = yield pairs;
      for (const [a, b] of pairs) {
        games.get(a)?.push(...[outcomes(a, b) ?? []].flat());
        games.get(b)?.push(...[outcomes(b, a) ?? []].flat());
      }
      const first = ([a, b]: [number, number]) => (outcomes(a, b) ?? 0) >= (outcomes(b, a) ?? 0);
      behind = [
        ...standingBy(
          pairs.map((pair) => pair[first(pair) ? 1 : 0]),
          earned,
        ),
        ...behind,
      ];
      line = [...free, ...pairs.map((pair) => pair[first(pair) ? 0 : 1])];
    }
    const places = new Array<number>(n).fill(0);
    for (const [place, i] of [...line, ...behind].entries()) places[i] = 1 - place / (n - 1);
    return places;
  },
};

/** Seeds 0..n-1 in bracket order: the two best seeds meet last; empty slots are left out. */
function bracket(n: number): number[] {
  let seeds = [0];
  while (seeds.length < n) seeds = seeds.flatMap((seed) => [seed, 2 * seeds.length - 1 - seed]);
  return seeds.filter((seed) => seed < n);
}
