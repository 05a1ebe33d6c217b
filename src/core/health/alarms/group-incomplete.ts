// The alarm `group_incomplete`: gathered groups are judged before they are complete, so that rewards compare
// fewer rollouts.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent } from "../sentence.ts";

export const groupIncomplete: Alarm = {
  name: "group_incomplete",
  bad: "above",
  watch: 0,
  alarm: 0.02,
  clear: 0,
  series: (rows) => column(rows, "incomplete_share"),
  says: ({ value }) => `${percent(value)} of the gathered groups were judged before all samples arrived`,
};

export const page = /* @__PURE__ */ documented(groupIncomplete, {
  rule: "any gathered group (`watch`), or over 2 % of them (`alarm`), was judged before all samples arrived",
  ends_at: "0 %",
  needs: "any request",
  look_at:
    "the trainer's `--group-rm` and `group_size`; [an incomplete group](integrations/gathering.md#an-incomplete-group)",
  groups_by: ["rollouts", "least"],
});
