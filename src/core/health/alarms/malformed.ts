// The alarm `malformed`: more rollouts break a format rule than in the first steps.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent, points } from "../sentence.ts";
import { risenOver } from "../trend.ts";

export const malformed: Alarm = {
  name: "malformed",
  bad: "above",
  alarm: 0.1,
  clear: 0.05,
  series: (rows) => risenOver(column(rows, "malformed_share"), { steps: 20, sure: 4 }),
  detail: ({ malformed_share }) => ({ malformed_share }),
  says: ({ value, row }) =>
    `${percent(row.malformed_share)} of the rollouts break a format rule, ${points(value)} more in the last steps than in the first ones`,
};

export const page = /* @__PURE__ */ documented(malformed, {
  rule: "the share of rollouts that break a format rule is 10 points above that of the first 50 steps, mean of 20 steps",
  ends_at: "5 points",
  needs: "51 steps",
  look_at: "the format rules; the policy's template",
  groups_by: ["malformed", "most"],
});
