// Owns the alarm `at_cap`: most rollouts are cut at the policy's length limit.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const atCap: Alarm = {
  name: "at_cap",
  bad: "above",
  alarm: 0.5,
  clear: 0.4,
  series: (rows) => column(rows, "at_cap_share"),
};
