// Builds the statements that store one or more requests, whole or in parts. Independent of the connection.

import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { LIMITS } from "../../core/faults/limits.ts";
import type { InsertRow } from "../db/bulk-insert.ts";
import { arrayLiteral, bulkInsert } from "../db/bulk-insert.ts";
import { groups, partedRequests, requests, rollouts, runs, signals, specs, texts, turns } from "../db/schema.ts";
import { auditVerdicts, verdicts, verdictTexts } from "../db/verdict-tables.ts";
import { chunks } from "./chunks.ts";
import { deletedAmong, runOf, STORING } from "./deletion.ts";
import { type Envelope, ROW_TABLES, type RowTable } from "./envelope.ts";

const TABLES = {
  ...{ groups, rollouts, verdicts, texts, signals, turns },
  ...{ verdict_texts: verdictTexts, audit_verdicts: auditVerdicts },
};
/** Columns with the same value in all rows of a request. */
const SHARED: Record<RowTable, readonly string[]> = {
  groups: ["spec_hash", "run_id", "step", "created_at"],
  rollouts: ["spec_hash"],
  verdicts: ["spec_hash"],
  texts: ["spec_hash"],
  signals: ["spec_hash"],
  turns: ["spec_hash"],
  verdict_texts: ["spec_hash"],
  audit_verdicts: ["spec_hash"],
};
const TOTALS = ["groups", "rollouts", "reward_sum", "reward_count", "parsed_sum", "parsed_count"] as const;

type HeadedEnvelope = Envelope & { head: NonNullable<Envelope["head"]> };

/**
 * Name of a column that the tables do not have or that the envelope lacks; null if there is neither. An
 * envelope from a newer Worker may contain a column that is unknown here.
 */
export function unknownColumn({ rows, shared, head }: Envelope): string | null {
  const known = (table: object, row: InsertRow) => Object.keys(row).find((key) => !Object.hasOwn(table, key)) ?? null;
  for (const table of ROW_TABLES) {
    const missing = SHARED[table].find((key) => shared[key] === undefined);
    if (missing !== undefined) return missing;
    const first = rows[table]?.[0];
    const fault = first === undefined ? null : known(getTableColumns(TABLES[table]), first);
    if (fault !== null) return `${table}.${fault}`;
  }
  if (head === null) return null;
  const total = TOTALS.find((key) => head.totals[key] === undefined);
  return total ?? known(getTableColumns(requests), head.row);
}

/**
 * Builds the statements of one transaction, in order. Their number depends only on how many rows and
 * characters are stored. Requests and their runs' totals are written last, so that a run's row is locked as
 * briefly as possible, and by a single statement, so that a repeated request does not change the totals. The
 * statements return the `request_id` of each request that was not written because some of its rows are
 * missing. Nothing is written for deleted runs.
 */
export function storeStatements(envelopes: readonly Envelope[]): SQL[] {
  if (envelopes.length === 0) return [];
  const heads = envelopes.filter((envelope): envelope is HeadedEnvelope => envelope.head !== null);
  const deleted = deletedAmong(envelopes);
  const statements = [STORING, ...partedStatements(envelopes, deleted)];
  if (heads.length > 0) statements.push(specsStatement(heads));
  for (const table of ROW_TABLES) statements.push(...tableStatements(table, envelopes, deleted));
  for (const alike of byColumns(heads, ({ head }) => head.row)) statements.push(requestsStatement(alike, deleted));
  return [...statements, ...wholeStatements(heads)];
}

const isPart = ({ head }: Envelope) => head === null || head.counts !== null;

/** Records the run of an incomplete request before its rows are stored. */
function partedStatements(envelopes: readonly Envelope[], deleted: SQL): SQL[] {
  const parts = new Map<string, InsertRow>();
  for (const envelope of envelopes.filter(isPart)) {
    const { request_id } = envelope;
    const { run_id, owner } = runOf(envelope);
    if (run_id !== null) parts.set(request_id, { request_id, run_id, owner });
  }
  if (parts.size === 0) return [];
  return [bulkInsert(partedRequests, {}, [...parts.values()], sql`WHERE u.request_id NOT IN ${deleted}`)];
}

/** Deletes the `parted_requests` records of requests that are now complete. */
function wholeStatements(heads: readonly HeadedEnvelope[]): SQL[] {
  const ids = heads.filter(isPart).map(({ request_id }) => request_id);
  if (ids.length === 0) return [];
  return [
    sql`DELETE FROM ${partedRequests} AS p USING ${requests} AS r WHERE p.request_id = r.request_id AND p.request_id = ANY(${arrayLiteral(ids)}::text[])`,
  ];
}

function specsStatement(heads: readonly HeadedEnvelope[]): SQL {
  const bySpec = [...new Map(heads.map((envelope) => [envelope.shared.spec_hash, envelope])).values()];
  const hashes = arrayLiteral(bySpec.map(({ shared }) => shared.spec_hash));
  const texts = arrayLiteral(bySpec.map(({ head }) => head.spec));
  const times = arrayLiteral(bySpec.map(({ shared }) => shared.created_at));
  return sql`INSERT INTO ${specs} (spec_hash, spec, created_at) SELECT u.spec_hash, u.spec::json, u.created_at
    FROM unnest(${hashes}::text[], ${texts}::text[], ${times}::timestamptz[]) AS u(spec_hash, spec, created_at) ORDER BY 1 ON CONFLICT DO NOTHING`;
}

/** Groups rows that have the same columns. Columns differ only during a deployment. */
function byColumns<T>(some: readonly T[], rowOf: (row: T) => InsertRow): T[][] {
  return [...Map.groupBy(some, (row) => Object.keys(rowOf(row)).join()).values()];
}

function tableStatements(table: RowTable, envelopes: readonly Envelope[], deleted: SQL): SQL[] {
  const filled = envelopes.filter(({ rows }) => (rows[table]?.length ?? 0) > 0);
  return byColumns(filled, ({ rows }) => rows[table]?.[0] as InsertRow).flatMap((some) => {
    const single = new Set(some.map(({ request_id }) => request_id)).size === 1;
    const sharedOf = ({ request_id, shared }: Envelope) => ({
      request_id,
      ...Object.fromEntries(SHARED[table].map((key) => [key, shared[key]])),
    });
    const rows = some.flatMap((envelope) => {
      const tableRows = envelope.rows[table] as readonly InsertRow[];
      return single ? tableRows : tableRows.map((row) => ({ ...row, ...sharedOf(envelope) }));
    });
    // Sends values that all rows share only once.
    const shared = single ? sharedOf(some[0] as Envelope) : {};
    const id = single ? sql`${some[0]?.request_id}::text` : sql`u.request_id`;
    return cut(table, rows).map((part) => bulkInsert(TABLES[table], shared, part, sql`WHERE ${id} NOT IN ${deleted}`));
  });
}

/** Approximate characters of a row in addition to its `text` column. */
const COLUMN_CHARS = 256;

function cut(table: RowTable, rows: readonly InsertRow[]): InsertRow[][] {
  if (table === "texts" || table === "verdict_texts" || table === "audit_verdicts") {
    return chunks(rows, ({ text }) => COLUMN_CHARS + `${text ?? ""}`.length, LIMITS.store_statement_chars);
  }
  return chunks(rows, () => 1, LIMITS.store_statement_rows);
}

/** Counts the rows that a table holds for the request in `wanted`. */
const present = (table: (typeof TABLES)[RowTable]) =>
  sql`(SELECT count(*) FROM ${table} AS t WHERE t.request_id = wanted.request_id)`;

/**
 * Token totals, summed from the stored rows of groups, which are complete when the request's own row is
 * written. Envelopes therefore do not carry totals of tokens, and those sent by older versions are counted as
 * well.
 */
const TOKENS = sql`(SELECT coalesce(sum(g.prompt_tokens), 0) AS prompt_tokens, coalesce(sum(g.completion_tokens), 0) AS completion_tokens
        FROM ${groups} AS g WHERE g.request_id = stored.request_id)`;

function requestsStatement(heads: readonly HeadedEnvelope[], deleted: SQL): SQL {
  const parted = heads.flatMap(({ request_id, head: { counts } }) => (counts === null ? [] : [{ request_id, counts }]));
  const wantedIds = arrayLiteral(parted.map(({ request_id }) => request_id));
  const wanted = ROW_TABLES.map((table) => sql`${arrayLiteral(parted.map(({ counts }) => counts[table]))}::bigint[]`);
  const ids = arrayLiteral(heads.map(({ request_id }) => request_id));
  const totals = TOTALS.map((key) => {
    const type = key.endsWith("_sum") ? sql.raw("float8[]") : sql.raw("bigint[]");
    return sql`${arrayLiteral(heads.map(({ head }) => head.totals[key]))}::${type}`;
  });
  const insert = bulkInsert(
    requests,
    {},
    heads.map(({ head }) => head.row),
    sql`WHERE u.request_id NOT IN (SELECT request_id FROM missing) AND u.request_id NOT IN ${deleted}`,
  );
  // An attempt contributes to the run only its tokens.
  const counts = sql.raw("kind <> 'attempt'");
  const missing = ROW_TABLES.map((table) => sql`${present(TABLES[table])} < wanted.${sql.raw(table)}`);
  return sql`WITH missing AS (
      SELECT request_id FROM unnest(${wantedIds}::text[], ${sql.join(wanted, sql`, `)}) AS wanted(request_id, ${sql.raw(ROW_TABLES.join(", "))})
      WHERE (${sql.join(missing, sql` OR `)}) AND request_id NOT IN ${deleted}
    ), stored AS (${insert} RETURNING request_id, run_id, owner, kind, step, created_at), added AS (
      INSERT INTO ${runs} (run_id, owner, first_step, last_step, first_at, last_at, requests, groups, rollouts, reward_sum, reward_count, parsed_sum, parsed_count, prompt_tokens, completion_tokens)
      SELECT run_id, owner, min(step) FILTER (WHERE ${counts}), max(step) FILTER (WHERE ${counts}), min(created_at), max(created_at), count(*) FILTER (WHERE ${counts}), sum(t.groups), sum(t.rollouts), sum(t.reward_sum), sum(t.reward_count), sum(t.parsed_sum), sum(t.parsed_count), sum(u.prompt_tokens), sum(u.completion_tokens)
      FROM stored JOIN unnest(${ids}::text[], ${sql.join(totals, sql`, `)}) AS t(request_id, ${sql.raw(TOTALS.join(", "))}) USING (request_id)
      CROSS JOIN LATERAL ${TOKENS} AS u
      WHERE run_id IS NOT NULL GROUP BY run_id, owner ORDER BY run_id, owner
      ON CONFLICT (run_id, owner) DO UPDATE SET
        first_step = least(runs.first_step, excluded.first_step), last_step = greatest(runs.last_step, excluded.last_step),
        first_at = least(runs.first_at, excluded.first_at), last_at = greatest(runs.last_at, excluded.last_at),
        requests = runs.requests + excluded.requests, groups = runs.groups + excluded.groups, rollouts = runs.rollouts + excluded.rollouts,
        reward_sum = runs.reward_sum + excluded.reward_sum, reward_count = runs.reward_count + excluded.reward_count,
        parsed_sum = runs.parsed_sum + excluded.parsed_sum, parsed_count = runs.parsed_count + excluded.parsed_count,
        prompt_tokens = runs.prompt_tokens + excluded.prompt_tokens, completion_tokens = runs.completion_tokens + excluded.completion_tokens
    ) SELECT request_id FROM missing`;
}
