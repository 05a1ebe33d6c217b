// Owns the measure `zero_variance_share`: of complete groups.
import { documented, measure } from "./measure.ts";

const SPANS =
  "(SELECT k, min(complete) AS low, max(complete) AS high FROM rol GROUP BY k, request_id, group_index HAVING count(complete) > 0) AS span";

export const zeroVarianceShare = measure("zero_variance_share", "share", SPANS, "avg((low = high)::int)::float8");
export const page = /* @__PURE__ */ documented(zeroVarianceShare, {
  words: "share of groups whose rewards are all equal",
});
