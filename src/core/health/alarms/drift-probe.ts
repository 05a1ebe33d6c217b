// Owns the alarm `drift_probe`: a group that was judged before, sent again as it was, gets another
// order: the verifier, its prompt or the spec changed under the run, or its verdicts are noise.
import type { Alarm } from "../alarm.ts";
import { column } from "../health-row.ts";

export const driftProbe: Alarm = {
  name: "drift_probe",
  bad: "below",
  watch: 0.7,
  alarm: 0.5,
  clear: 0.8,
  // Few steps have a repeated group: each of them speaks for itself.
  series: (rows) => column(rows, "repeat_correlation"),
};
