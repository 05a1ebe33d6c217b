// Owns the measure `failed_share`.
import { documented, GROUPS, measure } from "./measure.ts";

export const failedShare = measure(
  "failed_share",
  "share",
  GROUPS,
  "sum(failed)::float8 / nullif(sum(generations), 0)",
);
export const page = /* @__PURE__ */ documented(failedShare, { words: "share of generations that did not come" });
