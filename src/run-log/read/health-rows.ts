// Owns what alarms look at of a run: one row a step, computed by Postgres in one statement of all
// measures. Knows no measure and no alarm.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { HealthRow } from "../../core/health/health-row.ts";
import { MEASURES, type Measure, REQUESTS, type Unit } from "../../core/health/measures.ts";
import { BY_STEP, type RunAxis } from "../../ports/run-axis.ts";
import type { RunKey } from "../../ports/run-log.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";
import { requestsOf } from "./run-pages.ts";
import { requestsOfLastWindows } from "./run-windows.ts";

/** Requests for rewards of the run's last steps. */
export function requestsOfLast(run: RunKey, steps: number): SQL | undefined {
  const { step, kind } = requests;
  const of = and(requestsOf(run), isNotNull(step), eq(kind, "rewards"));
  const first = sql`(SELECT min(last.step) FROM (SELECT DISTINCT ${step} FROM ${requests} WHERE ${of} ORDER BY ${step} DESC NULLS LAST LIMIT ${steps}) AS last)`;
  return and(of, sql`${step} >= ${first}`);
}

/** The same over either axis, with the step or the window as `k`. */
export const lastRequests = (run: RunKey, steps: number, axis: RunAxis): SQL =>
  axis.by === "window"
    ? requestsOfLastWindows(run, axis.window_groups, steps)
    : sql`SELECT request_id, step AS k, created_at, warnings, spec_hash FROM requests WHERE ${requestsOfLast(run, steps)}`;

/** What a field is at a step of which a query has no row. */
const EMPTY: Partial<Record<Unit, string>> = { count: "0", counts: "'{}'" };

/** One query for all measures of the same rows, the fields of a step in the order of the table. */
function selected(measures: readonly Measure[]): string {
  const queries = [...new Set([REQUESTS, ...measures.map(({ from }) => from)])].map((from, q) => {
    const asked = measures.filter((measure) => measure.from === from).map(({ name, sql }) => `, ${sql} AS "${name}"`);
    const at = from === REQUESTS ? ", (extract(epoch FROM min(created_at)) * 1000)::float8 AS at_ms" : "";
    return `(SELECT k${at}${asked.join("")} FROM ${from} GROUP BY k) AS q${q}${q === 0 ? "" : " USING (k)"}`;
  });
  const fields = measures.map(({ name, unit }) => `, '${name}', coalesce("${name}", ${EMPTY[unit] ?? "NULL"})`);
  return `SELECT json_build_object('step', k, 'at_ms', at_ms${fields.join("")}) AS cell
    FROM ${queries.join(" LEFT JOIN ")} ORDER BY k`;
}

const MEASURED = sql.raw(selected(MEASURES));

const statement = (run: RunKey, steps: number, axis: RunAxis) => sql`
WITH req AS MATERIALIZED (
  SELECT request_id, k, created_at, warnings FROM (${lastRequests(run, steps, axis)}) AS wanted
), rol AS MATERIALIZED (
  SELECT k, r.*, g.prompt_hash, CASE WHEN g.status = 'ok' THEN r.reward END AS complete
  FROM req JOIN rollouts r USING (request_id) JOIN groups g USING (request_id, group_index)
)
${MEASURED}`;

/**
 * One row for each of the run's last steps, ascending; requests without a step are left out, or by
 * window all others. The latency is the median over groups of their 99th percentile.
 */
export async function healthRows(
  db: Database,
  run: RunKey,
  steps: number,
  axis: RunAxis = BY_STEP,
): Promise<HealthRow[]> {
  const { rows } = await db.execute<{ cell: HealthRow }>(statement(run, steps, axis));
  return rows.map(({ cell }) => cell);
}
