// Owns the measure `at_cap_share`: of rollouts that say how they ended.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const atCapShare = measure("at_cap_share", "share", ROLLOUTS, "avg((finish_reason = 'length')::int)::float8");
export const page = /* @__PURE__ */ documented(atCapShare, {
  words: "share of rollouts that ended at their length limit",
  drawn: { chart: "cut at the limit, near duplicates", as: "at cap" },
});
