// Owns the alarm `parse_rate_low`: the verifier's answers cannot be read.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

/** Of small steps, one says little. */
const STEPS = 10;

export const parseRateLow: Alarm = {
  name: "parse_rate_low",
  bad: "below",
  watch: 0.95,
  alarm: 0.8,
  clear: 0.96,
  series: (rows) => rolling(column(rows, "parse_rate"), STEPS, STEPS),
};
