// Owns the alarm `jams_judge`: ever more rollouts keep the verifier from answering.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";
import { risingP, trendOver } from "../trend.ts";

const STEPS = 30;

export const jamsJudge: Alarm = {
  name: "jams_judge",
  bad: "below",
  alarm: 0.01,
  clear: 0.05,
  series: (rows) => trendOver(column(rows, "jam_share"), STEPS, risingP),
  detail: ({ jam_share }) => ({ jam_share }),
};
