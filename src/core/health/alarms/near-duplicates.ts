// The alarm `near_duplicates`: the policy repeats the same candidate within groups.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent } from "../sentence.ts";

export const nearDuplicates: Alarm = {
  name: "near_duplicates",
  bad: "above",
  alarm: 0.5,
  clear: 0.4,
  series: (rows) => column(rows, "duplicate_share"),
  says: ({ value }) => `${percent(value)} of the answers duplicate another in their group`,
};

export const page = /* @__PURE__ */ documented(nearDuplicates, {
  rule: "over half of the answers duplicate another in their group",
  ends_at: "40 %",
  needs: "any rollout",
  look_at: "the policy has collapsed: check temperature and entropy",
  marked_on: ["cut at the limit, near duplicates"],
  draws_threshold: true,
  groups_by: ["duplicates", "most"],
});
