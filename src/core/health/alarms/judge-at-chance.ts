// Owns the alarm `judge_at_chance`: rewards say next to nothing of the labels, or of the audit where no
// labels come: the judge guesses.
import { type Alarm, documented } from "../alarm.ts";
import { rolling, truthIn } from "../health-row.ts";
import { significant } from "../sentence.ts";

const STEPS = 20;

export const judgeAtChance: Alarm = {
  name: "judge_at_chance",
  bad: "below",
  alarm: 0.1,
  clear: 0.15,
  series: (rows) => rolling(truthIn(rows).truth, STEPS),
  says: ({ value }) =>
    `rewards say nothing of labels or of the second judge: their correlation is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(judgeAtChance, {
  rule: "Spearman's correlation of reward and label, or of reward and [audit](#audit), is below 0.1, mean of 20 steps",
  ends_at: "0.15",
  needs: "10 steps with `pass_rate` or an audit",
  look_at: "the judge guesses: its prompt, its model, what it is shown",
  groups_by: ["tau-b", "least"],
});
