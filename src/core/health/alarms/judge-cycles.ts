// Owns the alarm `judge_cycles`: more groups' results fit no order than did. In large groups
// most have some circle by chance, so a share alone says nothing.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";
import { risenOver } from "../trend.ts";

export const judgeCycles: Alarm = {
  name: "judge_cycles",
  bad: "above",
  alarm: 0.05,
  clear: 0.03,
  series: (rows) => risenOver(column(rows, "cyclic_share"), { steps: 20, sure: 4.5 }),
  detail: ({ cyclic_share }) => ({ cyclic_share }),
};
