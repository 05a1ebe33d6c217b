// Owns the measure `repeat_rollouts`: on how many `repeat_correlation` stands.
import { documented, measure } from "./measure.ts";
import { REPEATED } from "./repeat-correlation.ts";

export const repeatRollouts = measure(
  "repeat_rollouts",
  "count",
  REPEATED,
  "sum(size) FILTER (WHERE rho IS NOT NULL)::int",
);
export const page = /* @__PURE__ */ documented(repeatRollouts, {
  words: "rollouts of the groups that came again",
});
