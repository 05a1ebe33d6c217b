// Owns the measure `duplicate_share`.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const duplicateShare = measure(
  "duplicate_share",
  "share",
  ROLLOUTS,
  "avg((duplicate_of IS NOT NULL)::int)::float8",
);
export const page = /* @__PURE__ */ documented(duplicateShare, {
  words: "share of rollouts whose candidate another of the group has too",
  drawn: { chart: "cut at the limit, near duplicates", as: "duplicates" },
});
