// An alarm that a test adds: a rollout of over 1,000 tokens.
import { type Alarm, documented } from "../../src/core/health/alarm.ts";
import { column, type MeasureName } from "../../src/core/health/health-row.ts";

export const toyAlarm: Alarm = {
  name: "toy_long",
  bad: "above",
  alarm: 1000,
  clear: 900,
  // Its name is in the table by a mock, which types do not see.
  says: () => "too many toys",
  series: (rows) => column(rows, "toy_longest" as MeasureName),
};

export const page = documented(toyAlarm, {
  rule: "a rollout of over 1,000 tokens",
  needs: "any step",
  ends_at: "900",
  look_at: "the toy's [cap](spec.md)",
  marked_on: ["the toy's lengths"],
});
