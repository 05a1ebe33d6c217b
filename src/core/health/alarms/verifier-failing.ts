// Owns the alarm `verifier_failing`: generations that bring no answer.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const verifierFailing: Alarm = {
  name: "verifier_failing",
  bad: "above",
  alarm: 0.01,
  clear: 0.005,
  series: (rows) => column(rows, "failed_share"),
};
