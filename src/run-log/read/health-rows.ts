// Owns what alarms look at of a run: one row a step, computed by Postgres in one statement. Knows
// SQL, not the alarms.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { HealthRow } from "../../core/health/health-row.ts";
import type { RunKey } from "../../scoring/run-log-port.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";
import { requestsOf } from "./run-pages.ts";

/** Requests for rewards of the run's last steps. */
export function requestsOfLast(run: RunKey, steps: number): SQL | undefined {
  const { step, kind } = requests;
  const of = and(requestsOf(run), isNotNull(step), eq(kind, "rewards"));
  const first = sql`(SELECT min(last.step) FROM (SELECT DISTINCT ${step} FROM ${requests} WHERE ${of} ORDER BY ${step} DESC NULLS LAST LIMIT ${steps}) AS last)`;
  return and(of, sql`${step} >= ${first}`);
}

const GROUP = sql`request_id, group_index`;
const REPEAT = sql`f.request_id, f.group_index`;

// Ties share the mean of their ranks, as Spearman's correlation wants it. Ranks have squares that
// Postgres can hold, whatever the values.
const meanRank = (within: SQL, column: SQL) =>
  sql`rank() OVER (PARTITION BY ${within} ORDER BY ${column}) + (count(*) OVER (PARTITION BY ${within}, ${column}) - 1) / 2.0`;

// Only a prompt of several steps can come again: the contents of all others are not looked at.
const statement = (run: RunKey, steps: number) => sql`
WITH req AS MATERIALIZED (
  SELECT request_id, step AS k, created_at, warnings FROM requests WHERE ${requestsOfLast(run, steps)}
), per_step AS (
  SELECT k, (extract(epoch FROM min(created_at)) * 1000)::float8 AS at_ms,
    avg((warnings::text LIKE '%"group_incomplete%')::int)::float8 AS incomplete_share FROM req GROUP BY k
), grp AS (
  SELECT k, sum(parsed)::float8 / nullif(sum(parsed + unparsed), 0) AS parse_rate, sum(failed)::float8 / nullif(sum(generations), 0) AS failed_share,
    avg(position_flip_rate) AS flip_rate, avg(cyclic::int)::float8 AS cyclic_share,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_p99_ms) FILTER (WHERE generations > failed) AS latency_p99_ms
  FROM req JOIN groups g USING (request_id) GROUP BY k
), rol AS MATERIALIZED (
  SELECT k, r.*, g.prompt_hash, CASE WHEN g.status = 'ok' THEN r.reward END AS complete
  FROM req JOIN rollouts r USING (request_id) JOIN groups g USING (request_id, group_index)
), per_rollout AS (
  SELECT k, count(*) AS rollouts, avg(complete) AS reward_mean, avg(complete - format) AS unformatted_mean,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY length_tokens) AS length_p50, avg((NOT format_ok)::int)::float8 AS malformed_share,
    avg((finish_reason = 'length')::int)::float8 AS at_cap_share,
    avg((duplicate_of IS NOT NULL)::int)::float8 AS duplicate_share, avg(jams_judge::int)::float8 AS jam_share,
    sum(ties)::float8 / nullif(sum(wins + losses + ties), 0) AS tie_share
  FROM rol GROUP BY k
), fault AS (
  SELECT k, json_object_agg(error, n ORDER BY error) AS nulls
  FROM (SELECT k, error, count(*) AS n FROM rol WHERE reward IS NULL AND error IS NOT NULL GROUP BY k, error) AS counted GROUP BY k
), flat AS (
  SELECT k, avg((low = high)::int)::float8 AS share
  FROM (SELECT k, min(complete) AS low, max(complete) AS high FROM rol GROUP BY k, request_id, group_index HAVING count(complete) > 0) AS span
  GROUP BY k
), ranked AS (
  SELECT k, request_id, group_index, ${meanRank(GROUP, sql`complete`)} AS by_reward, ${meanRank(GROUP, sql`length_tokens`)} AS by_length
  FROM rol WHERE complete IS NOT NULL AND length_tokens IS NOT NULL
), lengthy AS (
  SELECT k, avg(rho) AS rho FROM (SELECT k, corr(by_reward, by_length) AS rho FROM ranked GROUP BY k, request_id, group_index) AS of_group GROUP BY k
), labelled AS (
  SELECT k, ${meanRank(sql`k`, sql`reward`)} AS by_reward, ${meanRank(sql`k`, sql`pass_rate`)} AS by_label
  FROM rol WHERE reward IS NOT NULL AND pass_rate IS NOT NULL
), audits AS (
  SELECT k, request_id, group_index, ${meanRank(GROUP, sql`complete`)} AS by_reward, ${meanRank(GROUP, sql`audit`)} AS by_audit
  FROM rol WHERE complete IS NOT NULL AND audit IS NOT NULL
), audited AS (
  SELECT k, avg(rho) AS rho FROM (SELECT k, corr(by_reward, by_audit) AS rho FROM audits GROUP BY k, request_id, group_index) AS of_group GROUP BY k
), recurring AS (
  SELECT prompt_hash FROM req JOIN groups USING (request_id) GROUP BY prompt_hash HAVING min(k) < max(k)
), keyed AS (
  SELECT k, request_id, group_index, md5(prompt_hash || string_agg(text_hash, '' ORDER BY rollout_index)) AS content
  FROM rol WHERE complete IS NOT NULL AND prompt_hash IN (SELECT prompt_hash FROM recurring) GROUP BY k, request_id, group_index, prompt_hash
), firsts AS (
  SELECT *, first_value(k) OVER of_content AS first_k, first_value(request_id) OVER of_content AS first_request, first_value(group_index) OVER of_content AS first_group
  FROM keyed WINDOW of_content AS (PARTITION BY content ORDER BY k, request_id, group_index)
), repeats AS (
  SELECT f.k, f.request_id, f.group_index, ${meanRank(REPEAT, sql`later.complete`)} AS by_later, ${meanRank(REPEAT, sql`earlier.complete`)} AS by_earlier
  FROM firsts f JOIN rol later ON later.request_id = f.request_id AND later.group_index = f.group_index
    JOIN rol earlier ON earlier.request_id = f.first_request AND earlier.group_index = f.first_group AND earlier.rollout_index = later.rollout_index
  WHERE f.first_k < f.k
), repeated AS (
  SELECT k, avg(rho) AS rho FROM (
    SELECT k, coalesce(corr(by_later, by_earlier), CASE WHEN min(by_earlier) < max(by_earlier) THEN 0 END) AS rho FROM repeats GROUP BY k, request_id, group_index
  ) AS of_group GROUP BY k
), label AS (
  SELECT k, corr(by_reward, by_label) AS rho FROM labelled GROUP BY k
)
SELECT json_build_object(
  'step', k, 'at_ms', at_ms, 'rollouts', coalesce(rollouts, 0), 'reward_mean', reward_mean, 'unformatted_mean', unformatted_mean,
  'zero_variance_share', flat.share, 'parse_rate', parse_rate, 'nulls', coalesce(nulls, '{}'), 'malformed_share', malformed_share, 'length_p50', length_p50, 'at_cap_share', at_cap_share,
  'length_reward', lengthy.rho, 'duplicate_share', duplicate_share, 'tie_share', tie_share, 'flip_rate', flip_rate, 'cyclic_share', cyclic_share, 'jam_share', jam_share,
  'label_correlation', label.rho, 'audit_correlation', audited.rho, 'repeat_correlation', repeated.rho, 'latency_p99_ms', latency_p99_ms, 'incomplete_share', incomplete_share, 'failed_share', failed_share) AS cell
FROM per_step LEFT JOIN grp USING (k) LEFT JOIN per_rollout USING (k) LEFT JOIN fault USING (k) LEFT JOIN flat USING (k) LEFT JOIN lengthy USING (k) LEFT JOIN label USING (k) LEFT JOIN audited USING (k) LEFT JOIN repeated USING (k)
ORDER BY k`;

/**
 * One row for each of the run's last steps, ascending; requests without a step are left out. The
 * latency is the median over groups of their 99th percentile.
 */
export async function healthRows(db: Database, run: RunKey, steps: number): Promise<HealthRow[]> {
  const { rows } = await db.execute<{ cell: HealthRow }>(statement(run, steps));
  return rows.map(({ cell }) => cell);
}
