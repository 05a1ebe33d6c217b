// The alarm `verifier_failing`: too many generations end without an answer.
import { populationStd } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";

/** Number of steps to average over, since a single small step is noisy. */
const STEPS = 20;

const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

export const verifierFailing: Alarm = {
  name: "verifier_failing",
  bad: "above",
  alarm: 0.01,
  clear: 0.005,
  series(rows) {
    const shares = column(rows, "failed_share");
    // Subtracts one standard error, so that a few failures in small steps do not count.
    return rolling(shares, STEPS, STEPS).map((mean, i) =>
      mean === null ? null : mean - populationStd(known(shares.slice(i - STEPS + 1, i + 1))) / Math.sqrt(STEPS),
    );
  },
  says: ({ value }) => `${percent(value)} of the generations end without an answer`,
};

export const page = /* @__PURE__ */ documented(verifierFailing, {
  rule: "over 1 % of generations end without an answer, mean of 20 steps minus its standard error",
  ends_at: "0.5 %",
  needs: "20 steps in which the verifier was called",
  look_at: "the verifier's log; [reliability](reliability.md)",
  groups_by: ["failed generations", "most"],
});
