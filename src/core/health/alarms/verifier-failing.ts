// Owns the alarm `verifier_failing`: generations that bring no answer.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

/** Of small steps, one says little. */
const STEPS = 20;

export const verifierFailing: Alarm = {
  name: "verifier_failing",
  bad: "above",
  alarm: 0.01,
  clear: 0.005,
  series: (rows) => rolling(column(rows, "failed_share"), STEPS, STEPS),
};
