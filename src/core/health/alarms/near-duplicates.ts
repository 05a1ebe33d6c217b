// Owns the alarm `near_duplicates`: the policy writes the same candidate again and again.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const nearDuplicates: Alarm = {
  name: "near_duplicates",
  bad: "above",
  alarm: 0.5,
  clear: 0.4,
  series: (rows) => column(rows, "duplicate_share"),
};
