// Owns the alarm `nulls`: rollouts that got no reward.
import type { Alarm } from "../alarm.ts";
import type { HealthRow } from "../health-row.ts";

const missing = ({ nulls }: HealthRow) => Object.values(nulls).reduce((sum, count) => sum + count, 0);

export const nulls: Alarm = {
  name: "nulls",
  bad: "above",
  alarm: 0.02,
  clear: 0.01,
  series: (rows) => rows.map((row) => (row.rollouts === 0 ? null : missing(row) / row.rollouts)),
  detail: (row) => ({ by_code: row.nulls, rollouts: row.rollouts }),
};
