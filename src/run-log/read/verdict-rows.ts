// Owns the reads of verdicts: of one group, and of a whole run page by page. Knows SQL, not the
// wire's routes.
import { and, asc, eq, sql } from "drizzle-orm";
import type { Owner } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { RunKey, StoredVerdict } from "../../scoring/run-log-port.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, verdicts } from "../db/schema.ts";
import { groupKey, requestIsStored } from "./group-rows.ts";
import { lateralPage, paged } from "./run-pages.ts";

type VerdictRow = typeof verdicts.$inferSelect;

function storedVerdict(row: VerdictRow): StoredVerdict {
  return {
    group_id: groupKey(row.request_id, row.group_index),
    signal: row.signal,
    comparison: row.comparison,
    sample: row.sample,
    order: row.shown_order,
    letter: row.letter,
    scores: row.scores,
    status: row.status as StoredVerdict["status"],
    error: row.error as StoredVerdict["error"],
    finish_reason: row.finish_reason,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    latency_ms: row.latency_ms,
    model: row.model,
    backend: row.backend,
    ...(row.verdict !== null && { verdict: row.verdict }),
  };
}

/**
 * Every generation of the group `<request_id>.<index>`; null when `owner` (null: anybody) has no
 * such group.
 */
export async function groupVerdicts(db: Database, id: string, owner: Owner | null): Promise<StoredVerdict[] | null> {
  const [, requestId, index] = /^([0-9A-Za-z]{1,64})\.(\d{1,4})$/.exec(id) ?? [];
  if (requestId === undefined) return null;
  const [found, rows] = await db.batch([
    db
      .select({ group_index: groups.group_index })
      .from(groups)
      .where(
        and(
          eq(groups.request_id, requestId),
          eq(groups.group_index, Number(index)),
          requestIsStored(groups.request_id, owner),
        ),
      ),
    db
      .select()
      .from(verdicts)
      .where(and(eq(verdicts.request_id, requestId), eq(verdicts.group_index, Number(index))))
      .orderBy(asc(verdicts.comparison), asc(verdicts.sample)),
  ]);
  return found.length === 0 ? null : rows.map(storedVerdict);
}

type Place = Pick<VerdictRow, "request_id" | "group_index" | "comparison" | "sample">;

/** A run's verdicts, oldest request first, `export_page_rows` a round trip. */
export async function* runVerdicts(db: Database, run: RunKey): AsyncGenerator<StoredVerdict> {
  const first: Place = { request_id: "", group_index: -1, comparison: -1, sample: -1 };
  const read = (after: Place) => verdictPage(db, run, after);
  for await (const row of paged(first, LIMITS.export_page_rows, read)) yield storedVerdict(row);
}

function verdictPage(db: Database, run: RunKey, after: Place): Promise<VerdictRow[]> {
  const { request_id, group_index, comparison, sample } = after;
  const page = db
    .select()
    .from(verdicts)
    .where(
      sql`${verdicts.request_id} = ${requests.request_id} AND (${verdicts.request_id}, ${verdicts.group_index}, ${verdicts.comparison}, ${verdicts.sample}) > (${request_id}, ${group_index}, ${comparison}, ${sample})`,
    )
    .orderBy(asc(verdicts.group_index), asc(verdicts.comparison), asc(verdicts.sample))
    .limit(LIMITS.export_page_rows)
    .as("page");
  const order = [asc(page.group_index), asc(page.comparison), asc(page.sample)];
  return lateralPage(db, run, request_id, page, order, LIMITS.export_page_rows);
}
