// Owns the measure `abstained_share`.
import { documented, measure, ROLLOUTS } from "./measure.ts";

export const abstainedShare = measure(
  "abstained_share",
  "share",
  ROLLOUTS,
  "avg((error IS NOT DISTINCT FROM 'abstained')::int)::float8",
);
export const page = /* @__PURE__ */ documented(abstainedShare, { words: "of rollouts of which the spec abstains" });
