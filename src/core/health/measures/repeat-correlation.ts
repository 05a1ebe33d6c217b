// Owns the measure `repeat_correlation`.
import { documented, meanRank, measure } from "./measure.ts";

/** A row a repeated group. */
// Only a prompt of several steps can come again: the contents of all others are not looked at.
export const REPEATED = `(
  WITH recurring AS (
    SELECT prompt_hash FROM req JOIN groups USING (request_id) GROUP BY prompt_hash HAVING min(k) < max(k)
  ), keyed AS (
    SELECT k, request_id, group_index, md5(prompt_hash || string_agg(text_hash, '' ORDER BY rollout_index)) AS content
    FROM rol WHERE complete IS NOT NULL AND prompt_hash IN (SELECT prompt_hash FROM recurring)
    GROUP BY k, request_id, group_index, prompt_hash
  ), firsts AS (
    SELECT *, first_value(k) OVER of_content AS first_k, first_value(request_id) OVER of_content AS first_request,
      first_value(group_index) OVER of_content AS first_group
    FROM keyed WINDOW of_content AS (PARTITION BY content ORDER BY k, request_id, group_index)
  ), repeats AS (
    SELECT f.k, f.request_id, f.group_index, ${meanRank("f.request_id, f.group_index", "later.complete")} AS by_later,
      ${meanRank("f.request_id, f.group_index", "earlier.complete")} AS by_earlier
    FROM firsts f
      JOIN rol later ON later.request_id = f.request_id AND later.group_index = f.group_index
      JOIN rol earlier ON earlier.request_id = f.first_request AND earlier.group_index = f.first_group
        AND earlier.rollout_index = later.rollout_index
    WHERE f.first_k < f.k
  )
  SELECT k, count(*) AS size, coalesce(corr(by_later, by_earlier), CASE WHEN min(by_earlier) < max(by_earlier) THEN 0 END) AS rho
  FROM repeats GROUP BY k, request_id, group_index
) AS repeated`;

export const repeatCorrelation = measure("repeat_correlation", "correlation", REPEATED, "avg(rho)");
export const page = /* @__PURE__ */ documented(repeatCorrelation, {
  words:
    "Spearman's, of a group's rewards now and when the same prompt and rollouts were judged first, mean over the step's repeated groups",
});
