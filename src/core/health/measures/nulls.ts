// Owns the measure `nulls`: the one that is no number.
import { documented, measure } from "./measure.ts";

const CODES =
  "(SELECT k, error, count(*) AS n FROM rol WHERE reward IS NULL AND error <> 'abstained' GROUP BY k, error) AS code";

export const nulls = measure("nulls", "counts", CODES, "json_object_agg(error, n ORDER BY error)");
export const page = /* @__PURE__ */ documented(nulls, {
  words: "rollouts without a reward, by code; those of which the spec abstains are none of them",
});
