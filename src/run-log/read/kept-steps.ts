// Caches values computed for a run's steps. A value is valid until the step's set of requests changes.
import { type SQL, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import { healthRows as kept } from "../db/health-tables.ts";
import { deletedRuns } from "../db/schema.ts";

/** The kind of cached value: alarm measures, or a step's row. */
export type Axis = (typeof kept.$inferSelect)["axis"];

/** Selects, from `req`, an order-independent fingerprint of each step's requests. */
export const REQUEST_SETS = sql.raw(
  "SELECT k, count(*)::int AS requests, bit_xor(hashtextextended(request_id, 0)) AS ids, min(request_id) AS oldest FROM req GROUP BY k",
);

export const keptOf = ({ run_id, owner }: RunKey, axis: Axis): SQL =>
  sql`run_id = ${run_id} AND owner = ${owner} AND axis = ${axis}`;

const AT = sql.raw("(run_id, owner, axis, k)");
const SET = sql.raw(
  ["version", "requests", "ids", "oldest", "measured", "contents", "again"]
    .map((name) => `${name} = excluded.${name}`)
    .join(),
);

/**
 * Caches `rows` (k, measured, contents) with the requests that the same statement saw in `req`, so that
 * concurrent readers may write in any order.
 */
export const keeping = ({ run_id, owner }: RunKey, axis: Axis, version: string, rows: SQL): SQL => sql`
  INSERT INTO ${kept} (run_id, owner, axis, k, version, requests, ids, oldest, measured, contents)
  SELECT ${run_id}, ${owner}, ${axis}, k, ${version}, sets.requests, ids, oldest, measured, contents
  FROM (${rows}) AS rows JOIN (${REQUEST_SETS}) AS sets USING (k)
  WHERE NOT EXISTS (SELECT FROM ${deletedRuns} AS d WHERE d.run_id = ${run_id} AND d.owner = ${owner} AND oldest < d.before)
  ORDER BY k ON CONFLICT ${AT} DO UPDATE SET ${SET}`;
