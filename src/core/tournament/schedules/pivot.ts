// The schedule `pivot`: a ring, then every candidate against the ring's best candidates, then finals.
import * as z from "zod";
import { wholeFrom } from "../../faults/bounded.ts";
import { AskedPairs, standingBy } from "./finals.ts";
import { allPairs, type Match, meanOutcome, type Outcomes, type Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({
  pivots: wholeFrom(1, "rollouts_per_group_max").default(2),
});

/**
 * Maximum number of pairs in the play-off and the finals together: without ties, half of the candidates lose
 * in the ring.
 */
const finalsMost = (n: number): number => n >> 1;

/**
 * At most n + k(n - k) + k(k - 1) / 2 pairs (LLM-as-a-Verifier), plus n / 2 for the play-off and the finals,
 * plus n - 1 - k if they reveal another pivot. The pivots are the k candidates with the best mean outcome in
 * the ring. If more than k share the best mean, a play-off decides; other ties are resolved by seeded order.
 * In the finals, unbeaten candidates meet the leader. A candidate that beats the leader becomes a pivot too,
 * so that the best candidate has met every other one and leads in every score.
 */
export const pivot: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  unequalGames: () => true,
  findsBest: true,
  maxPairs: (n, { pivots }) => {
    const k = Math.min(pivots, n);
    return Math.min(allPairs(n), n + k * (n - k) + allPairs(k) + finalsMost(n) + Math.max(0, n - 1 - k));
  },
  *waves({ order, settings }) {
    const n = order.length;
    const asked = new AskedPairs(finalsMost(n));
    const meanOf = (i: number, outcomes: Outcomes) => meanOutcome(outcomes, i, [...asked.opponentsOf(i)]);
    let outcomes = yield asked.add(order.map((a, t): Match => [a, order[(t + 1) % n] as number]));
    const means = new Map(order.map((i) => [i, meanOf(i, outcomes)]));
    const ranking = standingBy(order, (i) => means.get(i) as number);
    const best = means.get(ranking[0] as number) as number;
    const equals = ranking.filter((i) => means.get(i) === best && best > 0.5);
    const lost = (i: number, known: Outcomes) =>
      equals.some((j) => asked.opponentsOf(i).has(j) && (known(i, j) ?? 0.5) < 0.5);
    const left = (known: Outcomes) => {
      const line = equals.filter((i) => !lost(i, known));
      return line.length > settings.pivots ? line : [];
    };
    outcomes = yield* asked.finals(left, outcomes);
    const losers = new Set(equals.filter((i) => lost(i, outcomes)));
    const pivots = standingBy(ranking, (i) => 2 * Number(equals.includes(i)) - Number(losers.has(i))).slice(
      0,
      settings.pivots,
    );
    outcomes = yield asked.add(
      pivots.flatMap((p, k) => order.flatMap((i): Match[] => (pivots.slice(0, k + 1).includes(i) ? [] : [[i, p]]))),
    );
    outcomes = yield* asked.finals(
      (known) =>
        asked.contenders(
          standingBy(order, (i) => meanOf(i, known)),
          known,
        ),
      outcomes,
    );
    const known = outcomes;
    const [leader] = asked.contenders(
      standingBy(order, (i) => meanOf(i, known)),
      known,
    ) as [number];
    if (pivots.includes(leader) || !asked.isUnbeaten(leader, known)) return undefined;
    yield asked.add(
      order.flatMap((i): Match[] => (i === leader || asked.opponentsOf(leader).has(i) ? [] : [[i, leader]])),
    );
    return undefined;
  },
};
