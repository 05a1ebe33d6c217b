// The alarm `judge_ties`: the judge distinguishes few candidates. Ties that come with a rise in flips (pairs
// whose verdict changes with the order shown) are subtracted, because they are candidates that a converged
// policy makes alike.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";
import { riseOf } from "../trend.ts";

const STEPS = 20;

export const judgeTies: Alarm = {
  name: "judge_ties",
  bad: "above",
  alarm: 0.4,
  clear: 0.35,
  series(rows) {
    const flips = riseOf(column(rows, "flip_rate"), STEPS);
    return rolling(column(rows, "tie_share"), STEPS).map((now, i) =>
      now === null ? null : now - (flips[i] as number),
    );
  },
  says: ({ value }) => `${percent(value)} of the decided pairs are ties`,
};

export const page = /* @__PURE__ */ documented(judgeTies, {
  rule: "over 40 % of decided pairs are ties, mean of 20 steps, minus the rise since the first 50 steps in pairs that change with the order shown",
  ends_at: "35 %",
  needs: "10 steps with decided pairs",
  look_at: "use more samples per pair, or a verifier that distinguishes candidates better",
  marked_on: ["verifier: ties, flips, cycles, unreadable"],
  draws_threshold: true,
  groups_by: ["tied or undecided", "most"],
});
