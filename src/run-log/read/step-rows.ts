// Aggregates a run by step in one Postgres statement, and caches each step until its set of requests changes.
// Independent of the HTTP routes.
import { and, gt, gte, lte, type SQL, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import { hashText } from "../../core/math/random.ts";
import { stepWarnings } from "../../core/tournament/warnings.ts";
import type { StepRow } from "../../ports/logged-rows.ts";
import type { StepRange } from "../../ports/run-log.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import { type Database, WITHOUT_JIT } from "../db/connection.ts";
import { healthRows } from "../db/health-tables.ts";
import { requests } from "../db/schema.ts";
import { STORING } from "../write/deletion.ts";
import { keeping, keptOf, REQUEST_SETS } from "./kept-steps.ts";
import { ofRequest, requestsOf } from "./run-pages.ts";
import { SIGNAL_PARTS, type StepSignalSums, signalsOf } from "./step-signals.ts";

/**
 * SQL condition for the requests in a range of steps. Uses the index by step, whose scan stops after the
 * first `limit` steps.
 */
function requestsIn(run: RunKey, { after, from, to, limit }: StepRange): SQL | undefined {
  const { step } = requests;
  const bounds = [
    after === null ? undefined : gt(step, after),
    from === null ? undefined : gte(step, from),
    to === null ? undefined : lte(step, to),
  ];
  const condition = and(requestsOf(run), ...bounds);
  if (limit === null) return condition;
  const last = sql`(SELECT max(first.step) FROM (SELECT DISTINCT ${step} FROM ${requests} WHERE ${condition} ORDER BY ${step} NULLS FIRST LIMIT ${limit}) AS first)`;
  return and(condition, sql`(${step} IS NULL OR ${step} <= ${last})`);
}

/**
 * Common table expressions that aggregate the requests in `req` by step. The last one, `cells`, has a JSON
 * cell per step.
 */
const CELLS = `per_step AS (
  SELECT k, count(*) AS requests, (extract(epoch FROM min(created_at)) * 1000)::float8 AS at_ms, (extract(epoch FROM max(created_at)) * 1000)::float8 AS last_ms, coalesce(sum(items) FILTER (WHERE kind = 'verdicts' AND groups = 0), 0) AS items,
    coalesce(sum(parse_rate * items) FILTER (WHERE kind = 'verdicts' AND groups = 0), 0) AS parsed,
    coalesce(sum(items) FILTER (WHERE kind = 'verdicts' AND groups = 0 AND parse_rate IS NOT NULL), 0) AS answered,
    CASE WHEN count(usd) = count(*) THEN sum(usd) END AS usd,
    json_agg(warnings) FILTER (WHERE json_array_length(warnings) > 0) AS warnings,
    coalesce(json_agg(json_build_object('n', items, 'mean', reward_mean, 'std', reward_std))
      FILTER (WHERE kind = 'verdicts' AND groups = 0 AND reward_mean IS NOT NULL), '[]') AS verdict_rewards
  FROM req GROUP BY k
), grp AS (
  SELECT k, count(*) AS groups, avg(tau_b) FILTER (WHERE g.status = 'ok') AS tau_b_mean,
    avg(list_acc::int) FILTER (WHERE g.status = 'ok') AS list_acc, sum(generations) AS generations,
    sum(g.parsed) AS parsed, sum(g.parsed + g.unparsed) AS answered, sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens
  FROM req ${ofRequest("groups")} AS g GROUP BY k
), rol AS MATERIALIZED (
  SELECT k, req.request_id, group_index, CASE WHEN status = 'ok' THEN reward END AS reward, length_tokens, shown
  FROM req ${ofRequest("rollouts JOIN groups USING (request_id, group_index)", "group_index, status, reward, length_tokens, shown")} AS r
), per_rollout AS (
  SELECT k, count(*) AS rollouts, avg(shown) AS shown_mean,
    json_build_object('n', count(reward), 'mean', avg(reward), 'std', stddev_pop(reward)) AS rewards,
    percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY length_tokens) AS lengths
  FROM rol GROUP BY k
), flat AS (
  SELECT k, avg((low = high)::int) AS share
  FROM (SELECT k, min(reward) AS low, max(reward) AS high FROM rol GROUP BY k, request_id, group_index HAVING count(reward) > 0) AS span
  GROUP BY k
), ver AS MATERIALIZED (
  SELECT k, error, latency_ms, latency_ms = 0 AND prompt_tokens = 0 AND completion_tokens = 0 AS shared
  FROM req ${ofRequest("verdicts", "error, latency_ms, prompt_tokens, completion_tokens")} AS v
), latency AS (
  SELECT k, percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY latency_ms) AS ms FROM ver WHERE error IS NULL AND NOT shared GROUP BY k
), fault AS (
  SELECT k, json_object_agg(error, n ORDER BY error) AS errors
  FROM (SELECT k, error, count(*) AS n FROM ver WHERE error IS NOT NULL GROUP BY k, error) AS counted GROUP BY k
), ${SIGNAL_PARTS}, cells AS MATERIALIZED (
SELECT k, json_build_object(
  'step', nullif(k, -1), 'at_ms', at_ms, 'last_ms', last_ms, 'requests', requests, 'groups', coalesce(groups, 0), 'rollouts', coalesce(rollouts, 0) + items,
  'usd', usd, 'rewards', rewards, 'warnings', coalesce(warnings, '[]'), 'verdict_rewards', verdict_rewards, 'zero_variance_share', flat.share,
  'parsed', coalesce(grp.parsed, 0) + per_step.parsed, 'answered', coalesce(grp.answered, 0) + per_step.answered,
  'tau_b_mean', tau_b_mean, 'list_acc', list_acc,
  'length_tokens', json_build_object('p50', lengths[1], 'p95', lengths[2]), 'shown_mean', shown_mean,
  'generations', coalesce(generations, 0), 'prompt_tokens', coalesce(prompt_tokens, 0), 'completion_tokens', coalesce(completion_tokens, 0),
  'latency_ms', json_build_object('p50', ms[1], 'p99', ms[2]), 'errors', coalesce(errors, '{}'), 'signals', coalesce(signals, '[]')) AS cell
FROM per_step LEFT JOIN grp USING (k) LEFT JOIN per_rollout USING (k) LEFT JOIN flat USING (k)
  LEFT JOIN latency USING (k) LEFT JOIN fault USING (k) LEFT JOIN per_signal USING (k)
)`;
const VERSION = hashText(CELLS)[0].toString(36);

// -1 stands for "no step": steps in the API are >= 0, and a null would not join.
const COLUMNS = sql.raw(
  "request_id, kind, items, groups, reward_mean, reward_std, parse_rate, usd, warnings, created_at, coalesce(step, -1) AS k",
);

/** Reads the fingerprint of each step's requests, and the cached rows of the steps. */
const looking = (run: RunKey, range: StepRange) => sql`
WITH req AS MATERIALIZED (
  SELECT request_id, coalesce(step, -1) AS k FROM requests WHERE ${requestsIn(run, range)}
), sets AS MATERIALIZED (
  ${REQUEST_SETS}
)
SELECT (SELECT json_agg(json_build_array(k, requests, ids::text) ORDER BY k) FROM sets) AS sets,
  (SELECT json_agg(json_build_array(k, requests, ids::text, measured)) FROM ${healthRows}
    WHERE ${keptOf(run, "row")} AND version = ${VERSION} AND k BETWEEN (SELECT min(k) FROM sets) AND (SELECT max(k) FROM sets)) AS held`;

/** Computes the given steps and caches their rows. */
export function computing(run: RunKey, steps: readonly number[]): SQL {
  const at = sql`step = ANY(${arrayLiteral(steps)}::int[])`;
  const rows = sql`SELECT k, cell AS measured, '{}'::int[] AS contents FROM cells`;
  return sql`
WITH req AS MATERIALIZED (
  SELECT ${COLUMNS} FROM requests WHERE ${requestsOf(run)} AND ${steps.includes(-1) ? sql`(step IS NULL OR ${at})` : at}
), ${sql.raw(CELLS)}, kept AS (
  ${keeping(run, "row", VERSION, rows)}
)
SELECT k::int, cell FROM cells`;
}

/** Count, mean and population standard deviation of rewards. */
interface StepMoments {
  n: number;
  mean: number | null;
  std: number | null;
}

type Told =
  | "first_at"
  | "last_at"
  | "reward_mean"
  | "reward_std"
  | "parse_rate"
  | "warnings"
  | "signals"
  | "shown_mean"
  | "usd";
type StepCell = Omit<StepRow, Told> & {
  shown_mean: number | null;
  usd: number | null;
  /** When the step's first request was logged, in ms since 1970. */
  at_ms: number;
  /** When its last request was logged, in ms since 1970. */
  last_ms: number;
  signals: StepSignalSums[];
  /** Warnings of each request that has any. */
  warnings: string[][];
  /** Moments over the rollouts of complete groups; null if there are none. */
  rewards: StepMoments | null;
  /** Reward moments of each `verdicts` request without groups. */
  verdict_rewards: StepMoments[];
  parsed: number;
  answered: number;
};

/**
 * Pooled mean and standard deviation. Not computed in SQL, where a square below 1e-308 is an error instead of
 * 0.
 */
function pooled(parts: readonly StepMoments[]): Pick<StepRow, "reward_mean" | "reward_std"> {
  const known = parts.flatMap(({ n, mean, std }) => (n === 0 || mean === null ? [] : [{ n, mean, std: std ?? 0 }]));
  const n = known.reduce((sum, part) => sum + part.n, 0);
  if (n === 0) return { reward_mean: null, reward_std: null };
  const mean = known.reduce((sum, part) => sum + (part.n / n) * part.mean, 0);
  const variance = known.reduce((sum, part) => sum + (part.n / n) * (part.std ** 2 + (part.mean - mean) ** 2), 0);
  return { reward_mean: mean, reward_std: Math.sqrt(variance) };
}

function stepRow(whole: StepCell, withSignals: boolean): StepRow {
  const {
    step,
    at_ms,
    last_ms,
    rewards,
    verdict_rewards,
    parsed,
    answered,
    warnings,
    signals,
    shown_mean,
    usd,
    ...cell
  } = whole;
  const moments = pooled(rewards === null ? verdict_rewards : [rewards, ...verdict_rewards]);
  const parse_rate = answered === 0 ? null : parsed / answered;
  const [first_at, last_at] = [at_ms, last_ms].map((ms) => new Date(ms).toISOString()) as [string, string];
  const parts = {
    ...(shown_mean !== null && { shown_mean }),
    ...(usd !== null && { usd }),
    ...(withSignals && { signals: signalsOf(signals) }),
  };
  return {
    step,
    first_at,
    last_at,
    ...cell,
    ...moments,
    parse_rate,
    warnings: stepWarnings(warnings, parse_rate),
    ...parts,
  };
}

/**
 * Reads one row per step of the range, ascending; requests without a step come first, with step null. Empty
 * for an unknown run.
 *
 * Rewards, tau_b, list_acc and zero_variance_share cover complete groups (`ok`) only. Standard deviations are
 * those of the population. parse_rate is the share of answered generations that were parsed. Percentiles use
 * linear interpolation (percentile_cont). Latencies cover answered generations, except those copied from an
 * equal group, which are logged with zeros. errors counts failed generations by code. In `verdicts` requests
 * without groups, the items count as rollouts. Signals are read only if requested.
 */
export async function stepRows(db: Database, run: RunKey, range: StepRange, signals = false): Promise<StepRow[]> {
  const { rows } = await db.execute<SeenSteps>(looking(run, range));
  const { sets, held } = rows[0] as SeenSteps;
  const cells = new Map(held?.map(([k, requests, ids, cell]) => [`${k} ${requests} ${ids}`, cell]));
  const steps = (sets ?? []).map(([k, requests, ids]) => ({ k, cell: cells.get(`${k} ${requests} ${ids}`) }));
  const computed = await compute(
    db,
    run,
    steps.flatMap(({ k, cell }) => (cell === undefined ? [k] : [])),
  );
  return steps.flatMap(({ k, cell = computed.get(k) }) => (cell === undefined ? [] : [stepRow(cell, signals)]));
}

/** Result row of `looking`. Postgres returns null instead of an empty list. */
interface SeenSteps extends Record<string, unknown> {
  sets: [k: number, requests: number, ids: string][] | null;
  held: [k: number, requests: number, ids: string, cell: StepCell][] | null;
}

const STEPS_AT_ONCE = 100;

async function compute(db: Database, run: RunKey, steps: readonly number[]): Promise<Map<number, StepCell>> {
  const computed = new Map<number, StepCell>();
  for (let from = 0; from < steps.length; from += STEPS_AT_ONCE) {
    const statement = db.execute<{ k: number; cell: StepCell }>(
      computing(run, steps.slice(from, from + STEPS_AT_ONCE)),
    );
    const [, , { rows }] = await db.batch([db.execute(STORING), db.execute(WITHOUT_JIT), statement]);
    for (const { k, cell } of rows) computed.set(k, cell);
  }
  return computed;
}
