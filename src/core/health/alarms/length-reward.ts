// Owns the alarm `length_reward`: within groups, the longer rollout gets the better reward.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 20;

export const lengthReward: Alarm = {
  name: "length_reward",
  bad: "above",
  alarm: 0.6,
  clear: 0.5,
  series: (rows) => rolling(column(rows, "length_reward"), STEPS),
};
