// The alarm `flat_rewards`: many groups have equal rewards, which give a group-relative trainer no gradient.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";

const STEPS = 20;

export const flatRewards: Alarm = {
  name: "flat_rewards",
  bad: "above",
  alarm: 0.3,
  clear: 0.25,
  series: (rows) => rolling(column(rows, "zero_variance_share"), STEPS),
  says: ({ value }) => `${percent(value)} of the groups have equal rewards, so they teach nothing`,
};

export const page = /* @__PURE__ */ documented(flatRewards, {
  rule: "over 30 % of groups have equal rewards, mean of 20 steps",
  ends_at: "25 %",
  needs: "10 steps with complete groups",
  look_at: "use harder or easier prompts, more samples per pair, or a finer score",
  marked_on: ["groups with equal rewards"],
  draws_threshold: true,
  groups_by: ["std", "least"],
});
