// Deletes the rows of deleted runs, keeps their queued rows from being stored, and deletes rows past their
// retention.
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { RunKey } from "../../core/contract/owner.ts";
import { type Owner, ownerOf, type Whose } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { encodeTime } from "../../platform/request-ids.ts";
import type { DeletedRows } from "../../ports/run-changes.ts";
import { arrayLiteral } from "../db/bulk-insert.ts";
import type { Database } from "../db/connection.ts";
import { healthRows, runAlarms } from "../db/health-tables.ts";
import { deletedRuns, groups, partedRequests, requests, rollouts, runs, signals, texts, turns } from "../db/schema.ts";
import { auditVerdicts, verdicts, verdictTexts } from "../db/verdict-tables.ts";
import type { Envelope } from "./envelope.ts";

/** Key of the advisory lock, unique to this code: "runs" in ASCII. */
const LOCK = sql.raw(`${0x72756e73}`);

/**
 * First statement of every transaction that stores rows. A deletion waits for transactions that began before
 * the run was marked as deleted; later transactions see the mark.
 */
export const STORING = sql`SELECT pg_advisory_xact_lock_shared(${LOCK})`;

/** The run that an envelope's rows belong to. */
export function runOf({ shared, head }: Envelope): { run_id: string | null; owner: Owner } {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { run_id: text(shared.run_id), owner: ownerOf(text(shared.key_name ?? head?.row.key_name)) };
}

/** Subquery for the envelopes' requests that must not be stored, because their runs are deleted. */
export function deletedAmong(envelopes: readonly Envelope[]): SQL {
  const requestRuns = [...new Map(envelopes.map((envelope) => [envelope.request_id, runOf(envelope)]))];
  const ids = arrayLiteral(requestRuns.map(([request_id]) => request_id));
  const runIds = arrayLiteral(requestRuns.map(([, { run_id }]) => run_id));
  const owners = arrayLiteral(requestRuns.map(([, { owner }]) => owner));
  return sql`(SELECT e.request_id FROM unnest(${ids}::text[], ${runIds}::text[], ${owners}::text[]) AS e(request_id, run_id, owner)
    JOIN ${deletedRuns} AS d ON d.run_id = e.run_id AND d.owner = e.owner WHERE e.request_id < d.before)`;
}

const matchesRun = (table: { run_id: PgColumn; owner: PgColumn }, { run_id, owner }: RunKey): SQL =>
  sql`${table.run_id} = ${run_id} AND ${table.owner} = ${owner}`;

/**
 * Marks the run as deleted, so that requests older than `before` are no longer stored. Deletes the run's own
 * row, alarms and cached measures at once.
 * @returns the number of alarms deleted
 */
export async function markDeleted(db: Database, run: RunKey, before: Date): Promise<number> {
  const mark = { run_id: run.run_id, owner: run.owner, before: encodeTime(before.getTime()) };
  const results = await db.batch([
    db.execute(sql`SELECT pg_advisory_xact_lock(${LOCK})`),
    db
      .insert(deletedRuns)
      .values(mark)
      .onConflictDoUpdate({
        target: [deletedRuns.run_id, deletedRuns.owner],
        set: { before: sql`greatest(${deletedRuns.before}, excluded.before)` },
      }),
    db.delete(runs).where(matchesRun(runs, run)),
    db.delete(runAlarms).where(matchesRun(runAlarms, run)),
    db.delete(healthRows).where(matchesRun(healthRows, run)),
  ]);
  return results[3].rowCount;
}

/**
 * Tables in order of deletion. Requests come first, so that a visible request is complete until it is
 * deleted.
 */
const TABLES: Record<keyof DeletedRows, PgTable> = {
  requests,
  groups,
  rollouts,
  verdicts,
  signals,
  turns,
  texts,
  verdict_texts: verdictTexts,
  audit_verdicts: auditVerdicts,
};

/**
 * Selects the first requests of `candidates` (columns `request_id` and `items`) by id, within the limits of
 * one transaction.
 */
const piece = (candidates: SQL): SQL => sql`
  SELECT request_id FROM (SELECT request_id, sum(items) OVER (ORDER BY request_id ROWS UNBOUNDED PRECEDING) - items AS ahead
    FROM (${candidates} LIMIT ${LIMITS.deletion_requests}) AS candidates) AS counted WHERE ahead < ${LIMITS.deletion_rollouts}`;

/**
 * Deletes the first requests of `candidates` with all their rows.
 * @returns the number of deleted rows by table; null if the run has no request
 */
async function deletePiece(db: Database, candidates: SQL): Promise<DeletedRows | null> {
  const { rows } = await db.execute<{ request_id: string }>(piece(candidates));
  if (rows.length === 0) return null;
  const ids = arrayLiteral(rows.map(({ request_id }) => request_id));
  const remove = (table: PgTable) => db.execute(sql`DELETE FROM ${table} WHERE request_id = ANY(${ids}::text[])`);
  const names = Object.keys(TABLES) as (keyof DeletedRows)[];
  const [, ...results] = await db.batch([remove(partedRequests), ...names.map((name) => remove(TABLES[name]))]);
  return Object.fromEntries(names.map((name, i) => [name, results[i]?.rowCount ?? 0])) as unknown as DeletedRows;
}

/** Selects the requests below `before`, including incomplete ones, of the runs in table `d`. */
const requestsBelow = (d: SQL, before: SQL): SQL => sql`
  SELECT r.request_id, r.items FROM ${d} AS d JOIN ${requests} AS r ON r.run_id = d.run_id AND r.owner = d.owner AND r.request_id < ${before}
  UNION ALL
  SELECT p.request_id, 1 FROM ${d} AS d JOIN ${partedRequests} AS p ON p.run_id = d.run_id AND p.owner = d.owner AND p.request_id < ${before}
  ORDER BY request_id`;

/** Deletes some rows of a run that is marked as deleted. Resolves with null if none were left. */
export function deleteRows(db: Database, run: RunKey): Promise<DeletedRows | null> {
  const marked = sql`(SELECT * FROM ${deletedRuns} WHERE ${matchesRun(deletedRuns, run)})`;
  return deletePiece(db, requestsBelow(marked, sql`d.before`));
}

/** Deletes some rows that interrupted deletions have left. Resolves with null if there were none. */
export function deleteMarked(db: Database): Promise<DeletedRows | null> {
  return deletePiece(db, requestsBelow(sql`${deletedRuns}`, sql`d.before`));
}

const ownedBy = (owner: SQL, ownerFilter: Whose): SQL =>
  "owner" in ownerFilter
    ? sql`${owner} = ${ownerFilter.owner}`
    : sql`${owner} <> ALL(${arrayLiteral(ownerFilter.not)}::text[])`;

/** Deletes some rows of requests older than `before`. Resolves with null if none were left. */
export async function deleteOlder(db: Database, ownerFilter: Whose, before: Date): Promise<DeletedRows | null> {
  const [at, id] = [before.toISOString(), encodeTime(before.getTime())];
  // Selects by run, because each run is one index range, then requests without a run and incomplete requests.
  const deleted = await deletePiece(
    db,
    sql`SELECT r.request_id, r.items FROM ${runs} AS d JOIN ${requests} AS r ON r.run_id = d.run_id AND r.owner = d.owner AND r.request_id < ${id}
      WHERE d.first_at < ${at} AND ${ownedBy(sql`d.owner`, ownerFilter)}
    UNION ALL
    SELECT request_id, items FROM ${requests} WHERE run_id IS NULL AND request_id < ${id} AND ${ownedBy(sql`owner`, ownerFilter)}
    UNION ALL
    SELECT request_id, 1 FROM ${partedRequests} WHERE request_id < ${id} AND ${ownedBy(sql`owner`, ownerFilter)}
    ORDER BY request_id`,
  );
  if (deleted !== null) return deleted;
  await db.execute(sql`WITH gone AS (DELETE FROM ${runs} AS d WHERE d.last_at < ${at} AND ${ownedBy(sql`d.owner`, ownerFilter)} RETURNING run_id, owner)
    DELETE FROM ${runAlarms} AS a USING gone WHERE a.run_id = gone.run_id AND a.owner = gone.owner`);
  // Steps that lost requests are dropped from the cache, so that they are computed again.
  await db
    .delete(healthRows)
    .where(sql`${healthRows.oldest} < ${id} AND ${ownedBy(sql`${healthRows.owner}`, ownerFilter)}`);
  return null;
}
