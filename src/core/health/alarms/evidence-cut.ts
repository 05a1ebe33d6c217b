// The alarm `evidence_cut`: judges see less than half of the agents' runs that they judge.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent } from "../sentence.ts";

export const evidenceCut: Alarm = {
  name: "evidence_cut",
  bad: "below",
  alarm: 0.5,
  clear: 0.6,
  series: (rows) => column(rows, "evidence_shown"),
  says: ({ value }) => `the judge sees only ${percent(value)} of an agent's run; results and files are cut`,
};

export const page = /* @__PURE__ */ documented(evidenceCut, {
  rule: "the mean share shown of a step's rollouts of several turns is below a half; those of which `extract` takes an answer or a diff alone do not count",
  ends_at: "60 %",
  needs: "rollouts with `messages`",
  look_at:
    "`left_out` of its groups: `candidate.transcript` with more characters, a verifier with a longer context, shorter results of tools",
  marked_on: ["agents' runs: share shown"],
  groups_by: ["shown", "least"],
});
