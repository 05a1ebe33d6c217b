// Owns the alarm `proxy_gap`: rewards say less and less of the labels, or, where none come, of what
// another judge finds of a share of groups. Rewards need not rise: a tournament's mean never does.
import { type Alarm, documented } from "../alarm.ts";
import { truthIn } from "../health-row.ts";
import { significant } from "../sentence.ts";
import { FIRST_STEPS, risenOver } from "../trend.ts";

/** An audit looks at few groups: as many steps as it is compared with, a fifth of them with one. */
const AUDITED = { steps: FIRST_STEPS, least: 10, sure: 3 };
const LABELLED = { steps: 20, sure: 4 };

export const proxyGap: Alarm = {
  name: "proxy_gap",
  bad: "above",
  alarm: 0.2,
  clear: 0.15,
  series(rows) {
    const { truth, labelled } = truthIn(rows);
    const falls = truth.map((value) => (value === null ? null : 0 - value));
    return risenOver(falls, labelled ? LABELLED : AUDITED);
  },
  detail: ({ label_correlation, audit_correlation }) => ({ label_correlation, audit_correlation }),
  says: ({ value }) =>
    `rewards say less of labels, or of the second judge, than at first: their correlation fell by ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(proxyGap, {
  rule: "Spearman's correlation of reward and label is 0.2 below that of the first 50 steps (means of 20 steps); needs `pass_rate`, or, where no labels come, an [audit](#audit)",
  ends_at: "0.15",
  needs: "51 steps, with `pass_rate` or an audit",
  look_at: "rewards are gamed: read the best groups",
  marked_on: ["agreement with labels", "agreement with the second judge"],
  groups_by: ["tau-b", "least"],
});
