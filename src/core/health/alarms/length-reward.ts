// The alarm `length_reward`: within groups, longer rollouts tend to get higher rewards.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { significant } from "../sentence.ts";

const STEPS = 20;

export const lengthReward: Alarm = {
  name: "length_reward",
  bad: "above",
  alarm: 0.6,
  clear: 0.5,
  series: (rows) => rolling(column(rows, "length_reward"), STEPS),
  says: ({ value }) =>
    `longer answers win: within groups the correlation of reward and length is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(lengthReward, {
  rule: "Spearman's correlation of reward and length within groups is over 0.6, mean of 20 steps",
  ends_at: "0.5",
  needs: "10 steps with `length_tokens` and with groups whose rewards differ",
  look_at: "the verifier prefers long answers: add a length signal or use another verifier",
  marked_on: ["reward and length, within groups"],
  draws_threshold: true,
  groups_by: ["reward and length", "most"],
});
