// Reads the verdicts of one group, or of a whole run page by page; audit verdicts are kept separate.
// Independent of the HTTP routes.
import { and, asc, eq, sql } from "drizzle-orm";
import type { Owner, RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { GroupVerdicts, StoredAuditVerdict, StoredVerdict } from "../../ports/logged-rows.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests } from "../db/schema.ts";
import { auditVerdicts, verdicts, verdictTexts } from "../db/verdict-tables.ts";
import { groupKey, groupOfKey, requestIsStored } from "./group-rows.ts";
import { lateralPage, paged } from "./run-pages.ts";

type VerdictTableRow = typeof verdicts.$inferSelect;

type AuditRow = typeof auditVerdicts.$inferSelect;

function storedVerdict(row: VerdictTableRow, text?: string): StoredVerdict {
  return { ...storedGeneration(row, text), signal: row.signal };
}

const storedAuditVerdict = (row: AuditRow): StoredAuditVerdict => storedGeneration(row, row.text ?? undefined);

function storedGeneration(row: Omit<VerdictTableRow, "signal">, text?: string): StoredAuditVerdict {
  return {
    group_id: groupKey(row.request_id, row.group_index),
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
    ...(row.turns !== null && { turns: row.turns }),
    ...(text !== undefined && { text }),
  };
}

/**
 * Reads all generations of the group `<request_id>.<index>`; null if `owner` (null: any owner) has no such
 * group.
 */
export async function groupVerdicts(db: Database, id: string, owner: Owner | null): Promise<GroupVerdicts | null> {
  const key = groupOfKey(id);
  if (key === null) return null;
  const { requestId, index } = key;
  const [found, rows, textRows, audited] = await db.batch([
    db
      .select({ group_index: groups.group_index })
      .from(groups)
      .where(
        and(eq(groups.request_id, requestId), eq(groups.group_index, index), requestIsStored(groups.request_id, owner)),
      ),
    db
      .select()
      .from(verdicts)
      .where(and(eq(verdicts.request_id, requestId), eq(verdicts.group_index, index)))
      .orderBy(asc(verdicts.comparison), asc(verdicts.sample)),
    db
      .select()
      .from(verdictTexts)
      .where(and(eq(verdictTexts.request_id, requestId), eq(verdictTexts.group_index, index))),
    db
      .select()
      .from(auditVerdicts)
      .where(and(eq(auditVerdicts.request_id, requestId), eq(auditVerdicts.group_index, index)))
      .orderBy(asc(auditVerdicts.comparison), asc(auditVerdicts.sample)),
  ]);
  if (found.length === 0) return null;
  const place = ({ comparison, sample }: { comparison: number; sample: number }) => `${comparison}.${sample}`;
  const texts = new Map(textRows.map((row) => [place(row), row.text]));
  return {
    verdicts: rows.map((row) => storedVerdict(row, texts.get(place(row)))),
    audit: audited.map(storedAuditVerdict),
  };
}

type VerdictRowKey = Pick<VerdictTableRow, "request_id" | "group_index" | "comparison" | "sample">;
const FIRST: VerdictRowKey = { request_id: "", group_index: -1, comparison: -1, sample: -1 };

/** Yields a run's verdicts, oldest request first, reading `export_page_rows` rows per round trip. */
export async function* runVerdicts(db: Database, run: RunKey): AsyncGenerator<StoredVerdict> {
  const limit = LIMITS.export_page_rows;
  const read = (after: VerdictRowKey) => verdictPage<VerdictTableRow>(db, run, verdicts, after, limit);
  for await (const row of paged(FIRST, limit, read)) yield storedVerdict(row);
}

/**
 * Yields the verdicts of a run's audits, oldest request first, with the judge's answers if these are stored.
 * Reads `export_audit_rows` rows per round trip.
 */
export async function* runAuditVerdicts(db: Database, run: RunKey): AsyncGenerator<StoredAuditVerdict> {
  const limit = LIMITS.export_audit_rows;
  const read = (after: VerdictRowKey) => verdictPage<AuditRow>(db, run, auditVerdicts, after, limit);
  for await (const row of paged(FIRST, limit, read)) yield storedAuditVerdict(row);
}

function verdictPage<Row>(
  db: Database,
  run: RunKey,
  table: typeof verdicts | typeof auditVerdicts,
  after: VerdictRowKey,
  limit: number,
): Promise<Row[]> {
  const { request_id, group_index, comparison, sample } = after;
  const page = db
    .select()
    .from(table as typeof verdicts)
    .where(
      sql`${table.request_id} = ${requests.request_id} AND (${table.request_id}, ${table.group_index}, ${table.comparison}, ${table.sample}) > (${request_id}, ${group_index}, ${comparison}, ${sample})`,
    )
    .orderBy(asc(table.group_index), asc(table.comparison), asc(table.sample))
    .limit(limit)
    .as("page");
  const order = [asc(page.group_index), asc(page.comparison), asc(page.sample)];
  return lateralPage(db, run, request_id, page, order, limit);
}
