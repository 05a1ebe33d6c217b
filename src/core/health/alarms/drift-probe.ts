// The alarm `drift_probe`: groups that were judged before, sent again as they were, get another order than
// they did: the verifier, its prompt or the spec changed under the run.
import { type Alarm, documented } from "../alarm.ts";
import type { HealthRow } from "../health-row.ts";
import { significant } from "../sentence.ts";

/** Rollouts on which a mean stands: of few, their order is chance. */
const ROLLOUTS = 48;
/** Sendings that a mean is of at least. */
const SENDINGS = 3;
/** The mean of the first ones: they must have told the members apart. */
const TOLD_APART = 0.5;

/** Means over the last sendings that together hold enough rollouts, each weighed by its own. */
function means(sent: readonly HealthRow[]): (number | null)[] {
  return sent.map((_, end) => {
    let [rollouts, sum] = [0, 0];
    for (let at = end; at >= 0; at--) {
      const { repeat_correlation, repeat_rollouts } = sent[at] as HealthRow;
      rollouts += repeat_rollouts ?? 0;
      sum += (repeat_correlation ?? 0) * (repeat_rollouts ?? 0);
      if (rollouts >= ROLLOUTS && end - at + 1 >= SENDINGS) return sum / rollouts;
    }
    return null;
  });
}

export const driftProbe: Alarm = {
  name: "drift_probe",
  bad: "below",
  alarm: 0.35,
  clear: 0.5,
  series(rows) {
    const sent = rows.filter(({ repeat_correlation }) => repeat_correlation != null);
    const values = means(sent);
    const first = values.find((value) => value !== null);
    const steady = first !== undefined && first !== null && first >= TOLD_APART;
    const at = new Map(sent.map((row, s) => [row, values[s] ?? null]));
    return rows.map((row) => (steady ? (at.get(row) ?? null) : null));
  },
  detail: ({ repeat_rollouts }) => ({ repeat_rollouts }),
  says: ({ value }) =>
    `the judge ranks the same groups differently than at first: the correlation of their rewards is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(driftProbe, {
  rule: "groups that were judged at an earlier step, sent again word for word, get another order: Spearman's correlation of their rewards then and now is below 0.35, mean of the last sendings that hold 48 rollouts, three at least; needs [groups that come again](#groups-that-come-again) whose first such mean was 0.5",
  ends_at: "0.5",
  needs: "groups that came again, 48 rollouts in three sendings or more",
  look_at: "the verifier's model, its prompt or the spec changed under the run",
});
