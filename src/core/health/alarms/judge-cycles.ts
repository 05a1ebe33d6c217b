// Owns the alarm `judge_cycles`: wins go in a circle more often than they did. Triples are counted,
// not groups: of large groups most have some circle by chance.
import { type Alarm, documented } from "../alarm.ts";
import { type Counted, type HealthRow, pooled } from "../health-row.ts";
import { percent, points } from "../sentence.ts";
import { dispersionOf, FIRST_STEPS, risenShare } from "../trend.ts";

const STEPS = 20;
/** Standard errors: the test is made at each step. */
const SURE = 4.5;

const counted = ({ cyclic_share, triples }: HealthRow): Counted => ({
  hits: Math.round((cyclic_share ?? 0) * (triples ?? 0)),
  count: triples ?? 0,
});

export const judgeCycles: Alarm = {
  name: "judge_cycles",
  bad: "above",
  alarm: 0.05,
  clear: 0.03,
  series(rows) {
    const begin = rows.slice(0, FIRST_STEPS);
    const first = pooled(begin, FIRST_STEPS, counted).at(-1);
    const dispersion = dispersionOf(begin.map(counted));
    return pooled(rows, STEPS, counted).map((now, i) => {
      if (now === null || first == null || i < FIRST_STEPS) return null;
      const rise = now.hits / now.count - first.hits / first.count;
      return risenShare(now, first, dispersion) > SURE ? rise : Math.min(rise, 0);
    });
  },
  detail: ({ cyclic_share, triples }) => ({ cyclic_share, triples }),
  says: ({ value, row }) =>
    `of three answers that were compared, wins go in a circle in ${percent(row.cyclic_share)}, over the last steps ${points(value)} more than at first`,
};

export const page = /* @__PURE__ */ documented(judgeCycles, {
  rule: "of all triples whose pairs were won, wins go in a circle (A beats B, B beats C, C beats A) in 5 points more than in the first 50 steps, and so many are no chance, over 20 steps",
  ends_at: "3 points",
  needs: "51 steps with groups of three or more",
  look_at: "more samples a pair, a stronger judge",
  marked_on: ["judge: ties, flips, circles, jams"],
});
