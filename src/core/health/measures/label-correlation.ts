// Owns the measure `label_correlation`: over the step's rollouts, incomplete groups among them.
import { documented, meanRank, measure } from "./measure.ts";

const RANKED = `(
  SELECT k, ${meanRank("k", "reward")} AS by_reward, ${meanRank("k", "pass_rate")} AS by_label
  FROM rol WHERE reward IS NOT NULL AND pass_rate IS NOT NULL
) AS ranked`;

export const labelCorrelation = measure("label_correlation", "correlation", RANKED, "corr(by_reward, by_label)");
export const page = /* @__PURE__ */ documented(labelCorrelation, { words: "Spearman's, of reward and pass_rate" });
