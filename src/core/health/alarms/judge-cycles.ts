// Owns the alarm `judge_cycles`: more groups' results fit no order than did. In large groups
// most have some circle by chance, so a share alone says nothing.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent, points } from "../sentence.ts";
import { risenOver } from "../trend.ts";

export const judgeCycles: Alarm = {
  name: "judge_cycles",
  bad: "above",
  alarm: 0.05,
  clear: 0.03,
  series: (rows) => risenOver(column(rows, "cyclic_share"), { steps: 20, sure: 4.5 }),
  detail: ({ cyclic_share }) => ({ cyclic_share }),
  says: ({ value, row }) =>
    `in ${percent(row.cyclic_share)} of the groups wins go in a circle, over the last steps ${points(value)} more than at first`,
};

export const page = /* @__PURE__ */ documented(judgeCycles, {
  rule: "in 5 points more groups than in the first 50 steps wins go in a circle (A beats B, B beats C, C beats A), mean of 20 steps; in large groups most circles are chance",
  ends_at: "3 points",
  needs: "51 steps with groups of three or more",
  look_at: "more samples a pair, a stronger judge",
  marked_on: ["judge: ties, flips, circles, jams"],
});
