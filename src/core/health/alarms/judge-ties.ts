// Owns the alarm `judge_ties`: the verifier tells few candidates apart.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 20;

export const judgeTies: Alarm = {
  name: "judge_ties",
  bad: "above",
  alarm: 0.4,
  clear: 0.35,
  series: (rows) => rolling(column(rows, "tie_share"), STEPS),
};
