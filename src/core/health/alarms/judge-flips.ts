// The alarm `judge_flips`: the verdicts of more pairs than in the first steps change with the order shown,
// beyond what random verdicts explain. Candidates that a converged policy makes alike flip too, but they also
// form cycles; a position bias forms none.
import { populationStd } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { flipsByChance } from "../chance.ts";
import { type Counted, column, type HealthRow, pooled, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";
import { FIRST_STEPS, risenOver } from "../trend.ts";

const STEPS = 20;
/**
 * Noise alone flips at most half of the verdicts, so a rate 15 points above this value shows a position bias
 * even in the first step.
 */
const CHANCE = 0.4;
const MANY_STEPS = 100;
/** Number of standard errors by which the flip rate must exceed chance. */
const DOUBTS = 2;

const cyclesOf = ({ cyclic_share, triples }: HealthRow): Counted => ({
  hits: Math.round((cyclic_share ?? 0) * (triples ?? 0)),
  count: triples ?? 0,
});

/**
 * The part of a rise in flips that random verdicts explain, estimated from cycles; the whole rise if the
 * groups have no triples.
 */
function byChance(first: Counted | null | undefined, now: Counted | null | undefined, rise: number): number {
  if (first == null || now == null) return rise;
  const maxRate = (now.hits + Math.sqrt(now.hits + 3 / 8)) / now.count;
  return Math.max(0, flipsByChance(maxRate) - flipsByChance(first.hits / first.count));
}

export const judgeFlips: Alarm = {
  name: "judge_flips",
  bad: "above",
  alarm: 0.15,
  clear: 0.1,
  series(rows) {
    const flips = column(rows, "flip_rate");
    const risen = risenOver(flips, { steps: STEPS, sure: 4 });
    const first = pooled(rows.slice(0, FIRST_STEPS), FIRST_STEPS, cyclesOf).at(-1);
    // Small groups have few triples, and cycles cluster, so both windows are used, and the one with more
    // cycles counts.
    const cycles = [pooled(rows, STEPS, cyclesOf), pooled(rows, MANY_STEPS, cyclesOf)];
    return rolling(flips, STEPS).map((now, i) => {
      if (now === null) return null;
      const window = flips.slice(Math.max(0, i - STEPS + 1), i + 1).filter((value) => value !== null);
      const aboveChance = now - CHANCE - (DOUBTS * populationStd(window)) / Math.sqrt(window.length);
      const rise = risen[i];
      // The rise is null during the first steps, which are compared only with chance.
      return rise == null
        ? aboveChance
        : Math.max(aboveChance, rise - Math.max(...cycles.map((pools) => byChance(first, pools[i], rise))));
    });
  },
  detail: ({ flip_rate }) => ({ flip_rate }),
  says: ({ row }) => `${percent(row.flip_rate)} of the pairs get a different verdict when the order is swapped`,
};

export const page = /* @__PURE__ */ documented(judgeFlips, {
  rule: "the share of pairs that change with the order shown is 15 points above that of the first 50 steps, or over 55 %, mean of 20 steps, beyond what random verdicts explain (estimated from the share of cycles). Needs `both_orders`",
  ends_at: "10 points",
  needs: "10 steps under `both_orders`",
  look_at: "use a stronger verifier; keep both orders",
  marked_on: ["verifier: ties, flips, cycles, unreadable"],
  groups_by: ["flips with order", "most"],
});
