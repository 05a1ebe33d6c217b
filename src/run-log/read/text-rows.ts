// Reads the logged prompts and rollouts of one group, or of a whole run page by page, and joins each from its
// parts. Independent of the HTTP routes.
import { and, asc, eq, sql } from "drizzle-orm";
import type { StoredText } from "../../core/contract/export-tables.ts";
import type { Owner, RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, texts } from "../db/schema.ts";
import { groupKey, groupOfKey, requestIsStored } from "./group-rows.ts";
import { lateralPage, paged } from "./run-pages.ts";

type TextRow = Pick<typeof texts.$inferSelect, "request_id" | "group_index" | "rollout_index" | "text">;

type TextRowKey = Omit<TextRow, "text">;

/**
 * Yields a run's prompts and rollouts, oldest request first, each group's prompt before its rollouts. Reads
 * `export_text_rows` rows per round trip.
 */
export async function* runTexts(db: Database, run: RunKey): AsyncGenerator<StoredText> {
  const first: TextRowKey = { request_id: "", group_index: -1, rollout_index: -1 };
  const read = (after: TextRowKey) => textPage(db, run, after);
  for await (const { request_id, group_index, rollout_index, text } of paged(first, LIMITS.export_text_rows, read)) {
    yield {
      group_id: groupKey(request_id, group_index),
      rollout_index: rollout_index < 0 ? null : rollout_index,
      text,
    };
  }
}

/**
 * Reads the prompt and then the rollouts of the group `<request_id>.<index>`; null if `owner` has no such
 * group.
 */
export async function groupTexts(db: Database, id: string, owner: Owner | null): Promise<StoredText[] | null> {
  const key = groupOfKey(id);
  if (key === null) return null;
  const { requestId, index } = key;
  const [found, rows] = await db.batch([
    db
      .select({ group_index: groups.group_index })
      .from(groups)
      .where(
        and(eq(groups.request_id, requestId), eq(groups.group_index, index), requestIsStored(groups.request_id, owner)),
      ),
    db
      .select({ rollout_index: texts.rollout_index, text: whole })
      .from(texts)
      .where(and(eq(texts.request_id, requestId), eq(texts.group_index, index)))
      .groupBy(texts.rollout_index)
      .orderBy(asc(texts.rollout_index)),
  ]);
  if (found.length === 0) return null;
  return rows.map(({ rollout_index, text }) => ({
    group_id: id,
    rollout_index: rollout_index < 0 ? null : rollout_index,
    text,
  }));
}

const whole = sql<string>`string_agg(${texts.text}, '' ORDER BY ${texts.part})`.as("text");

function textPage(db: Database, run: RunKey, after: TextRowKey): Promise<TextRow[]> {
  const { request_id, group_index, rollout_index } = after;
  const page = db
    .select({
      request_id: texts.request_id,
      group_index: texts.group_index,
      rollout_index: texts.rollout_index,
      text: whole,
    })
    .from(texts)
    .where(
      sql`${texts.request_id} = ${requests.request_id} AND (${texts.request_id}, ${texts.group_index}, ${texts.rollout_index}) > (${request_id}, ${group_index}, ${rollout_index})`,
    )
    .groupBy(texts.request_id, texts.group_index, texts.rollout_index)
    .orderBy(asc(texts.group_index), asc(texts.rollout_index))
    .limit(LIMITS.export_text_rows)
    .as("page");
  const order = [asc(page.group_index), asc(page.rollout_index)];
  return lateralPage(db, run, request_id, page, order, LIMITS.export_text_rows);
}
