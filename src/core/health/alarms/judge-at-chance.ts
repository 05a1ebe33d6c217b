// The alarm `judge_at_chance`: rewards hardly correlate with the labels, or with the audit for runs without
// labels, so the judge is guessing.
import { type Alarm, documented } from "../alarm.ts";
import { rolling, truthIn } from "../health-row.ts";
import { significant } from "../sentence.ts";
import { FIRST_STEPS } from "../trend.ts";

const STEPS = 20;

export const judgeAtChance: Alarm = {
  name: "judge_at_chance",
  bad: "below",
  alarm: 0.1,
  clear: 0.15,
  series: (rows) => rolling(truthIn(rows, FIRST_STEPS).truth, STEPS),
  says: ({ value }) => `rewards do not agree with labels or the audit: their correlation is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(judgeAtChance, {
  rule: "Spearman's correlation of reward and label, or of reward and [audit](#audit), is below 0.1, mean of 20 steps; a correlation with labels is corrected if labels are more alike than in the first 50 steps",
  ends_at: "0.15",
  needs: "10 steps with `pass_rate` or an audit",
  look_at: "the verifier guesses: check its model, the judge's prompt, and what the verifier sees of candidates",
  groups_by: ["tau-b", "least"],
});
