// The alarm `evidence_cut`: judges see less than half of the agents' trajectories.
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { percent } from "../sentence.ts";

export const evidenceCut: Alarm = {
  name: "evidence_cut",
  bad: "below",
  alarm: 0.5,
  clear: 0.6,
  series: (rows) => column(rows, "evidence_shown"),
  says: ({ value }) => `the verifier sees only ${percent(value)} of an agent's run; results and files are cut`,
};

export const page = /* @__PURE__ */ documented(evidenceCut, {
  rule: "the verifier sees on average less than half of a step's multi-turn rollouts; rollouts from which `extract` takes only an answer or a diff do not count",
  ends_at: "60 %",
  needs: "rollouts with `messages`",
  look_at:
    "`left_out` of the step's groups: allow more characters in `candidate.transcript`, use a verifier with a longer context, or shorten tool results",
  marked_on: ["agent runs: share shown"],
  draws_threshold: true,
  groups_by: ["shown", "least"],
});
