// Owns the measure `length_reward`.
import { documented, measure, withinGroups } from "./measure.ts";

export const lengthReward = measure(
  "length_reward",
  "correlation",
  withinGroups("complete", "length_tokens"),
  "avg(rho)",
);
export const page = /* @__PURE__ */ documented(lengthReward, {
  words: "Spearman's correlation within groups, mean",
  drawn: { chart: "reward and length, within groups", as: "reward and length" },
});
