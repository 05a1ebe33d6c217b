// Owns the alarm `verifier_failing`: generations that bring no answer.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";

/** Of small steps, one says little. */
const STEPS = 20;

export const verifierFailing: Alarm = {
  name: "verifier_failing",
  bad: "above",
  alarm: 0.01,
  clear: 0.005,
  series: (rows) => rolling(column(rows, "failed_share"), STEPS, STEPS),
  says: ({ value }) => `${percent(value)} of the generations bring no answer`,
};

export const page = /* @__PURE__ */ documented(verifierFailing, {
  rule: "over 1 % of generations bring no answer, mean of 20 steps",
  ends_at: "0.5 %",
  needs: "20 steps in which the judge was asked",
  look_at: "the verifier's log; [reliability](reliability.md)",
  groups_by: ["failed generations", "most"],
});
