// Owns the measure `length_p50`.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const lengthP50 = measure(
  "length_p50",
  "tokens",
  ROLLOUTS,
  "percentile_cont(0.5) WITHIN GROUP (ORDER BY length_tokens)",
);
export const page = /* @__PURE__ */ documented(lengthP50, { words: "median length of the rollouts, tokens" });
