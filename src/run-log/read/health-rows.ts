// Computes the measures that alarms check: one row per step, from one Postgres statement, cached until the
// step's set of requests changes.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { HealthRow } from "../../core/health/health-row.ts";
import { MEASURES, type Measure, OVER_STEPS, REQUESTS, type Unit } from "../../core/health/measures.ts";
import { hashText } from "../../core/math/random.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import { type Database, WITHOUT_JIT } from "../db/connection.ts";
import { healthRows as kept } from "../db/health-tables.ts";
import { requests } from "../db/schema.ts";
import { STORING } from "../write/deletion.ts";
import { keeping, keptOf, REQUEST_SETS } from "./kept-steps.ts";
import { requestsOf } from "./run-pages.ts";

const rewardsOf = (run: RunKey) => and(requestsOf(run), isNotNull(requests.step), eq(requests.kind, "rewards"));

/** SQL condition for the reward requests of the run's last steps. */
export function requestsOfLast(run: RunKey, steps: number): SQL | undefined {
  const { step } = requests;
  const condition = rewardsOf(run);
  const first = sql`(SELECT min(last.step) FROM (SELECT DISTINCT ${step} FROM ${requests} WHERE ${condition} ORDER BY ${step} DESC NULLS LAST LIMIT ${steps}) AS last)`;
  return and(condition, sql`${step} >= ${first}`);
}

const COLUMNS = sql.raw("request_id, step AS k, created_at, warnings, spec_hash");

/** Selects the reward requests of the run's last steps, with the step as `k`. */
const lastRequests = (run: RunKey, steps: number): SQL =>
  sql`SELECT ${COLUMNS} FROM requests WHERE ${requestsOfLast(run, steps)}`;

/** Selects the reward requests of the given steps, with the step as `k`. */
const requestsAt = (run: RunKey, steps: readonly number[]): SQL =>
  sql`SELECT ${COLUMNS} FROM requests WHERE ${rewardsOf(run)} AND step = ANY(${arrayLiteral(steps)}::int[])`;

/** Default SQL value of a measure at a step without rows. */
const EMPTY: Partial<Record<Unit, string>> = { count: "0", counts: "'{}'" };

const fieldOf = ({ name, unit }: Measure) => `coalesce("${name}", ${EMPTY[unit] ?? "NULL"})`;
const aggregates = (measures: readonly Measure[]) => measures.map(({ name, sql }) => `, ${sql} AS "${name}"`).join("");

const ALONE = MEASURES.filter(({ from }) => from !== OVER_STEPS);
const ACROSS = MEASURES.filter(({ from }) => from === OVER_STEPS);

/** One query for all measures, joined by step; the values of a step are in the order of MEASURES. */
function selected(measures: readonly Measure[]): string {
  const queries = [...new Set([REQUESTS, ...measures.map(({ from }) => from)])].map((from, q) => {
    const asked = aggregates(measures.filter((measure) => measure.from === from));
    const at = from === REQUESTS ? ", (extract(epoch FROM min(created_at)) * 1000)::float8 AS at_ms" : "";
    return `(SELECT k${at}${asked} FROM ${from} GROUP BY k) AS q${q}${q === 0 ? "" : " USING (k)"}`;
  });
  return `SELECT k, json_build_array(at_ms, ${measures.map(fieldOf).join(", ")}) AS measured FROM ${queries.join(" LEFT JOIN ")}`;
}

const MEASURED = selected(ALONE);
const VERSION = hashText(MEASURED)[0].toString(36);

/** Columns of a rollout, and those of its group that the measures need. */
const ROLLOUT = sql.raw("k, r.*, g.prompt_hash, CASE WHEN g.status = 'ok' THEN r.reward END AS complete");

/**
 * Computes, from `rol` and `req`, a hash for each group with rewards, and NULL for other groups. Only groups
 * with equal hashes need an exact comparison.
 */
const CONTENTS = sql.raw(`SELECT k, array_agg(content ORDER BY request_id, group_index) AS contents
  FROM req JOIN groups USING (request_id) LEFT JOIN (
    SELECT request_id, group_index, hashtext(prompt_hash || string_agg(text_hash, '' ORDER BY rollout_index)) AS content
    FROM rol WHERE complete IS NOT NULL GROUP BY request_id, group_index, prompt_hash
  ) AS hashed USING (request_id, group_index) GROUP BY k`);

/** Joins measures and content hashes by step. Reads `measured`, `rol` and `req`. */
const ROWS = sql`SELECT k, measured, coalesce(contents, '{}') AS contents FROM measured LEFT JOIN (${CONTENTS}) AS hashed USING (k)`;

/** Computes the measures of the given steps and caches them. */
const computing = (run: RunKey, steps: readonly number[]) => sql`
WITH req AS MATERIALIZED (
  SELECT request_id, k, created_at, warnings FROM (${requestsAt(run, steps)}) AS wanted
), rol AS MATERIALIZED (
  SELECT ${ROLLOUT} FROM req JOIN rollouts r USING (request_id) JOIN groups g USING (request_id, group_index)
), measured AS MATERIALIZED (
  ${sql.raw(MEASURED)}
), kept AS (
  ${keeping(run, "step", VERSION, ROWS)}
)
SELECT k::int, measured FROM measured`;

/** Selects the content hashes in `held` that occur at more than one step. */
const EQUAL = sql.raw(`SELECT content FROM held, unnest(contents) AS content
  WHERE content IS NOT NULL GROUP BY content HAVING min(k) < max(k)`);

const ofRun = (run: RunKey) => keptOf(run, "step");

/**
 * Serializes updates of a run, so that if two steps have the same content, the later update sees the earlier
 * one.
 */
const locking = ({ run_id, owner }: RunKey) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${owner}/${run_id}`}, 0))`;

/** Clears `again` for those of the given steps that share no content with another step. */
const telling = (run: RunKey, steps: readonly number[]) => sql`
WITH held AS MATERIALIZED (SELECT k, contents FROM ${kept} WHERE ${ofRun(run)}), equal AS MATERIALIZED (${EQUAL})
UPDATE ${kept} SET again = FALSE WHERE ${ofRun(run)} AND k = ANY(${arrayLiteral(steps)}::bigint[])
  AND NOT EXISTS (SELECT FROM unnest(contents) AS content WHERE content IN (SELECT content FROM equal))`;

type MeasuredValues = readonly unknown[];

/**
 * Common table expressions: the requests of the last steps (`req`, `sets`), the cached rows (`held`), and the
 * steps to recompute (`changed`). The sets are compared with EXCEPT and IN: Postgres assumes that a table
 * never analysed is small, and would join it by a nested loop.
 */
const lookedAt = (run: RunKey, steps: number) => sql`
req AS MATERIALIZED (
  SELECT request_id, k FROM (${lastRequests(run, steps)}) AS wanted
), sets AS MATERIALIZED (
  ${REQUEST_SETS}
), held AS MATERIALIZED (
  SELECT k, requests, ids, measured, contents, again FROM ${kept}
  WHERE ${ofRun(run)} AND version = ${VERSION} AND k >= (SELECT min(k) FROM req)
), changed AS MATERIALIZED (
  SELECT k FROM (SELECT k, requests, ids FROM sets EXCEPT SELECT k, requests, ids FROM held) AS fresh
)`;

/** Reads the cached rows, but returns them only if no step must be recomputed first or if `last` is set. */
const looking = (run: RunKey, steps: number, last: boolean) => sql`
WITH ${lookedAt(run, steps)}
SELECT (SELECT json_agg(k ORDER BY k) FROM changed) AS changed,
  (SELECT json_agg(k ORDER BY k) FROM sets) AS steps,
  CASE WHEN whole THEN (SELECT json_agg(json_build_array(k, measured)) FROM held WHERE k NOT IN (SELECT k FROM changed)) END AS held,
  (SELECT bool_or(again) FROM held) AS repeated
FROM (SELECT ${last}::boolean OR NOT EXISTS (SELECT FROM changed) AS whole) AS state`;

const OVER = sql.raw(`SELECT k${aggregates(ACROSS)} FROM ${OVER_STEPS} GROUP BY k`);

/**
 * Computes the measures that span several steps, from groups whose content may be repeated; few runs have
 * such groups.
 */
const lookingBack = (run: RunKey, steps: number) => sql`
WITH ${lookedAt(run, steps)}, equal AS MATERIALIZED (
  ${EQUAL}
), placed AS MATERIALIZED (
  SELECT k, place FROM held, unnest(contents) WITH ORDINALITY AS of_group(content, place)
  WHERE content IN (SELECT content FROM equal) AND k NOT IN (SELECT k FROM changed)
), again AS MATERIALIZED (
  SELECT k, request_id, group_index FROM (
    SELECT k, request_id, group_index, row_number() OVER (PARTITION BY k ORDER BY request_id, group_index) AS place
    FROM req JOIN groups USING (request_id) WHERE k IN (SELECT k FROM placed)
  ) AS numbered WHERE (k, place) IN (SELECT k, place FROM placed)
), rol AS MATERIALIZED (
  SELECT ${ROLLOUT} FROM again JOIN rollouts r USING (request_id, group_index) JOIN groups g USING (request_id, group_index)
)
SELECT k::int, json_build_array(${sql.raw(ACROSS.map(fieldOf).join(", "))}) AS across FROM (${OVER}) AS over`;

/** Result row of `looking`. Postgres returns null instead of an empty list. */
interface HeldLook extends Record<string, unknown> {
  changed: number[] | null;
  steps: number[] | null;
  held: [k: number, measured: MeasuredValues][] | null;
  repeated: boolean | null;
}

const NOT_ACROSS = ACROSS.map(({ unit }) => (unit === "count" ? 0 : null));

function healthRow(step: number, [at_ms, ...alone]: MeasuredValues, across: MeasuredValues = NOT_ACROSS): HealthRow {
  const [aloneValues, over] = [alone.values(), across.values()];
  const values = MEASURES.map(({ name, from }) => [name, (from === OVER_STEPS ? over : aloneValues).next().value]);
  return { step, at_ms, ...Object.fromEntries(values) };
}

/**
 * Computes changed steps in batches and caches them.
 * @returns the measures by step
 */
async function compute(db: Database, run: RunKey, changed: readonly number[]) {
  const computed = new Map<number, MeasuredValues>();
  for (let from = 0; from < changed.length; from += LIMITS.health_steps_at_once) {
    const piece = changed.slice(from, from + LIMITS.health_steps_at_once);
    const statement = db.execute<{ k: number; measured: MeasuredValues }>(computing(run, piece));
    const [, , { rows }] = await db.batch([db.execute(STORING), db.execute(WITHOUT_JIT), statement]);
    for (const { k, measured } of rows) computed.set(k, measured);
  }
  if (changed.length > 0) await db.batch([db.execute(locking(run)), db.execute(telling(run, changed))]);
  return computed;
}

/**
 * Reads one row for each of the run's last steps, ascending, without requests that have no step. The latency
 * is the median over groups of their 99th percentile.
 */
export async function healthRows(db: Database, run: RunKey, steps: number): Promise<HealthRow[]> {
  const look = async (last: boolean) => (await db.execute<HeldLook>(looking(run, steps, last))).rows[0];
  const first = await look(false);
  const computed = await compute(db, run, first?.changed ?? []);
  const found = first?.changed == null ? first : await look(true);
  const held = new Map(found?.held);
  const back = found?.repeated
    ? await db.execute<{ k: number; across: MeasuredValues }>(lookingBack(run, steps))
    : null;
  const across = new Map(back?.rows.map((row) => [row.k, row.across]));
  return (found?.steps ?? []).flatMap((k) => {
    // A step that still receives requests is returned as it was last computed.
    const measured = held.get(k) ?? computed.get(k);
    return measured === undefined ? [] : [healthRow(k, measured, across.get(k))];
  });
}
