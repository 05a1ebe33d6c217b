// The alarm `judge_cycles`: wins form cycles (A beats B, B beats C, C beats A) more often than random
// verdicts explain. If a converged policy makes candidates alike, the judge's verdicts are coin flips, which
// form cycles, too. The rate of pairs that change with the order distinguishes the two causes, so runs that
// show each pair in one order are skipped.
import { type Alarm, documented } from "../alarm.ts";
import { cyclesByChance } from "../chance.ts";
import { type Counted, column, type HealthRow, pooled, rolling } from "../health-row.ts";
import { percent, points } from "../sentence.ts";
import { dispersionOf, FIRST_STEPS, risenShare } from "../trend.ts";

/** Number of steps in the window that is compared with the first steps; larger if groups are few or small. */
const STEPS = { min: 20, max: 100 };
/** Number of triples needed in a window. */
const TRIPLES = 600;
/** Number of standard errors for significance. High, because the test is repeated at each step. */
const SURE = 4;

const counted = ({ cyclic_share, triples, flip_rate }: HealthRow): Counted =>
  flip_rate == null
    ? { hits: 0, count: 0 }
    : { hits: Math.round((cyclic_share ?? 0) * (triples ?? 0)), count: triples ?? 0 };

export const judgeCycles: Alarm = {
  name: "judge_cycles",
  bad: "above",
  alarm: 0.05,
  clear: 0.03,
  series(rows) {
    const begin = rows.slice(0, FIRST_STEPS);
    const first = pooled(begin, FIRST_STEPS, counted).at(-1);
    const dispersion = dispersionOf(begin.map(counted));
    const triples = begin.length === 0 ? 0 : (first?.count ?? 0) / begin.length;
    const steps = Math.round(Math.min(STEPS.max, Math.max(STEPS.min, TRIPLES / triples)));
    const flips = column(rows, "flip_rate");
    const first_flips = rolling(flips.slice(0, FIRST_STEPS), FIRST_STEPS, 1).at(-1) ?? 0;
    const flips_now = rolling(flips, steps, 1);
    return pooled(rows, steps, counted).map((now, i) => {
      if (now === null || first == null || i < FIRST_STEPS) return null;
      const explained = Math.max(0, cyclesByChance(flips_now[i] ?? 0) - cyclesByChance(first_flips));
      const expected = { hits: first.hits + explained * first.count, count: first.count };
      const rise = now.hits / now.count - expected.hits / expected.count;
      return risenShare(now, expected, dispersion) > SURE ? rise : Math.min(rise, 0);
    });
  },
  detail: ({ cyclic_share, triples, flip_rate }) => ({ cyclic_share, triples, flip_rate }),
  says: ({ value, row }) =>
    `wins form cycles in ${percent(row.cyclic_share)} of triples, ${points(value)} more over the last steps than chance explains`,
};

export const page = /* @__PURE__ */ documented(judgeCycles, {
  rule: "wins form cycles (A beats B, B beats C, C beats A) in 5 points more of the triples than in the first 50 steps, beyond what random verdicts explain (estimated from the share of pairs that change with the order shown), over 20 steps, or up to 100 if groups are few or small, at 4 standard errors",
  ends_at: "3 points",
  needs: "51 steps under `both_orders` with groups of at least three rollouts",
  look_at: "use more samples per pair or a stronger verifier",
  marked_on: ["verifier: ties, flips, cycles, unreadable"],
});
