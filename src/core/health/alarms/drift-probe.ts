// Owns the alarm `drift_probe`: a group that was judged before, sent again as it was, gets another
// order than it did: the verifier, its prompt or the spec changed under the run.
import { mean } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { significant } from "../sentence.ts";

/** Sendings whose mean is looked at, and the first ones, which must have told its members apart. */
const SENDINGS = 6;
const LEAST = 6;
const FIRST = 3;
const TOLD_APART = 0.5;

export const driftProbe: Alarm = {
  name: "drift_probe",
  bad: "below",
  alarm: 0.35,
  clear: 0.5,
  series(rows) {
    const known: number[] = [];
    return column(rows, "repeat_correlation").map((value) => {
      if (value === null) return null;
      known.push(value);
      const steady = mean(known.slice(0, FIRST)) >= TOLD_APART;
      return steady && known.length >= LEAST ? mean(known.slice(-SENDINGS)) : null;
    });
  },
  says: ({ value }) =>
    `a group that comes again gets another order than at first: the correlation of its rewards is ${significant(value)}`,
};

export const page = /* @__PURE__ */ documented(driftProbe, {
  rule: "a group that was judged at an earlier step, sent again word for word, gets another order: Spearman's correlation of its rewards then and now is below 0.35, mean of six sendings; needs [a group that comes again](#a-group-that-comes-again) whose first three sendings agreed (0.5)",
  ends_at: "0.5",
  needs: "a group that came again at six steps",
  look_at: "the verifier's model, its prompt or the spec changed under the run",
});
