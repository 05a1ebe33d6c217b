// Owns the alarm `flat_rewards`: groups whose rewards are all equal teach a group-relative trainer
// nothing.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 20;

export const flatRewards: Alarm = {
  name: "flat_rewards",
  bad: "above",
  alarm: 0.3,
  clear: 0.25,
  series: (rows) => rolling(column(rows, "zero_variance_share"), STEPS),
};
