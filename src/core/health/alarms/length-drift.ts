// Owns the alarm `length_drift`: rollouts have grown or shrunk far off what they were.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const STEPS = 20;

/** How far each median is below the highest before it or above the lowest, as a share of that. */
function drift(medians: readonly (number | null)[]): (number | null)[] {
  let [peak, trough] = [0, Number.POSITIVE_INFINITY];
  return medians.map((median) => {
    if (median === null) return null;
    [peak, trough] = [Math.max(peak, median), Math.min(trough, median)];
    return Math.max(peak === 0 ? 0 : 1 - median / peak, trough === 0 ? 0 : median / trough - 1);
  });
}

export const lengthDrift: Alarm = {
  name: "length_drift",
  bad: "above",
  alarm: 0.4,
  clear: 0.3,
  series: (rows) => drift(rolling(column(rows, "length_p50"), STEPS)),
  detail: ({ length_p50 }) => ({ length_p50 }),
};

export const page = /* @__PURE__ */ documented(lengthDrift, {
  rule: "the median length is 40 % below its highest or above its lowest so far (means of 20 steps)",
  ends_at: "30 %",
  needs: "10 steps with `length_tokens`",
  look_at: "`overlong`; whether length is what is rewarded",
  marked_on: ["length"],
});
