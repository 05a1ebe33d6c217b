// Owns the alarm `parse_rate_low`: the verifier's answers cannot be read.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const parseRateLow: Alarm = {
  name: "parse_rate_low",
  bad: "below",
  watch: 0.95,
  alarm: 0.8,
  clear: 0.96,
  series: (rows) => column(rows, "parse_rate"),
};
