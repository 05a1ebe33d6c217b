// Owns the measure `reward_mean`: of complete groups.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const rewardMean = measure("reward_mean", "reward", ROLLOUTS, "avg(complete)");
export const page = /* @__PURE__ */ documented(rewardMean, { words: "mean of the rewards that are numbers" });
