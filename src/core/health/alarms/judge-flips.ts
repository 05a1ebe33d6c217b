// Owns the alarm `judge_flips`: the verifier prefers a place, not a candidate.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 5;

export const judgeFlips: Alarm = {
  name: "judge_flips",
  bad: "above",
  alarm: 0.15,
  clear: 0.12,
  series: (rows) => rolling(column(rows, "flip_rate"), STEPS),
};
