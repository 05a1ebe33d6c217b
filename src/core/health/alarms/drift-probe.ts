// The alarm `drift_probe`: groups that were judged before and are sent again unchanged are ranked
// differently, so the verifier, its prompt or the spec changed during the run.
import { type Alarm, documented } from "../alarm.ts";
import type { HealthRow } from "../health-row.ts";
import { significant } from "../sentence.ts";

/** Minimum number of rollouts per mean; with fewer, the correlation is noise. */
const ROLLOUTS = 48;
/** Minimum number of steps with repeated groups per mean. */
const SENDINGS = 3;
/**
 * Minimum for the first mean. If the first mean is lower, the judge never ranked the groups reliably, and the
 * alarm stays silent.
 */
const TOLD_APART = 0.5;

/**
 * Rolling means over the latest steps that together have enough rollouts, weighted by the number of rollouts.
 */
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
    `the verifier ranks the same groups differently than at first: the correlation of their rewards is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(driftProbe, {
  rule: "groups that were judged at an earlier step and are sent again unchanged get a different order: Spearman's correlation of their earlier and new rewards is below 0.35, mean over the latest steps with repeated groups, at least three steps and 48 rollouts; needs [repeated groups](#repeated-groups) whose first such mean was at least 0.5",
  ends_at: "0.5",
  needs: "repeated groups in at least three steps, with at least 48 rollouts",
  look_at: "the verifier's model, its prompt or the spec changed during the run",
});
