// Owns the alarm `group_incomplete`: gathered groups are judged in parts, so their rewards are not
// those of the whole.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const groupIncomplete: Alarm = {
  name: "group_incomplete",
  bad: "above",
  watch: 0,
  alarm: 0.02,
  clear: 0,
  series: (rows) => column(rows, "incomplete_share"),
};
