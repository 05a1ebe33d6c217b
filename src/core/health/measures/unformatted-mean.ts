// Owns the measure `unformatted_mean`: of complete groups.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const unformattedMean = measure("unformatted_mean", "reward", ROLLOUTS, "avg(complete - format)");
export const page = /* @__PURE__ */ documented(unformattedMean, { words: "without what format rules took off" });
