// The alarm `at_cap`: most rollouts are cut off at the policy's length limit.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent } from "../sentence.ts";

export const atCap: Alarm = {
  name: "at_cap",
  bad: "above",
  alarm: 0.5,
  clear: 0.4,
  series: (rows) => column(rows, "at_cap_share"),
  says: ({ value }) => `${percent(value)} of the rollouts are cut off at the length limit`,
};

export const page = /* @__PURE__ */ documented(atCap, {
  rule: "over half of the rollouts are cut off at the length limit",
  ends_at: "40 %",
  needs: "`finish_reason`",
  look_at: "the policy's `max_tokens`, `overlong`",
  marked_on: ["cut at the limit, near duplicates"],
  draws_threshold: true,
  groups_by: ["cut at the limit", "most"],
});
