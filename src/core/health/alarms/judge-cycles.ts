// Owns the alarm `judge_cycles`: the verifier's results fit no order.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 5;

export const judgeCycles: Alarm = {
  name: "judge_cycles",
  bad: "above",
  alarm: 0.2,
  clear: 0.15,
  series: (rows) => rolling(column(rows, "cyclic_share"), STEPS),
};
