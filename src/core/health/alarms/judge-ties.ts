// Owns the alarm `judge_ties`: the verifier tells few candidates apart.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";

const STEPS = 20;

export const judgeTies: Alarm = {
  name: "judge_ties",
  bad: "above",
  alarm: 0.4,
  clear: 0.35,
  series: (rows) => rolling(column(rows, "tie_share"), STEPS),
  says: ({ value }) => `${percent(value)} of the decided pairs are ties`,
};

export const page = /* @__PURE__ */ documented(judgeTies, {
  rule: "over 40 % of decided pairs are ties, mean of 20 steps",
  ends_at: "35 %",
  needs: "10 steps with decided pairs",
  look_at: "more samples a pair; a judge that sees differences",
  marked_on: ["judge: ties, flips, circles, jams"],
  groups_by: ["tied or undecided", "most"],
});
