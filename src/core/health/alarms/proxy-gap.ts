// The alarm `proxy_gap`: rewards agree less with labels than in the first steps, or, for runs without labels,
// with an audit by a second judge. Does not require that rewards rise, since a tournament's mean never does.
import { type Alarm, documented } from "../alarm.ts";
import { truthIn } from "../health-row.ts";
import { significant } from "../sentence.ts";
import { FIRST_STEPS, risenOver } from "../trend.ts";

/**
 * An audit covers few groups, so its window is as long as the baseline, and a fifth of its steps must have a
 * value.
 */
const AUDITED = { steps: FIRST_STEPS, minKnown: 10, sure: 3 };
const LABELLED = { steps: 30, sure: 4 };

export const proxyGap: Alarm = {
  name: "proxy_gap",
  bad: "above",
  alarm: 0.2,
  clear: 0.15,
  series(rows) {
    const { truth, labelled } = truthIn(rows, FIRST_STEPS);
    const falls = truth.map((value) => (value === null ? null : 0 - value));
    return risenOver(falls, labelled ? LABELLED : AUDITED);
  },
  detail: ({ label_correlation, audit_correlation }) => ({ label_correlation, audit_correlation }),
  says: ({ value }) =>
    `possible reward hacking: rewards agree less with labels or the audit than at first (correlation -${significant(value)})`,
};

export const page = /* @__PURE__ */ documented(proxyGap, {
  rule: "Spearman's correlation of reward and label is 0.2 below that of the first 50 steps (means of 30 steps), corrected if labels are more alike than in those steps; needs `pass_rate`, or, for runs without labels, an [audit](#audit)",
  ends_at: "0.15",
  needs: "51 steps, with `pass_rate` or an audit",
  look_at: "read the top groups",
  marked_on: ["agreement with labels", "agreement with the audit"],
  groups_by: ["tau-b", "least"],
});
