// Owns the reads of logged texts: of a whole run page by page, each text put back together from its parts. Knows SQL, not the wire's routes.
import { asc, sql } from "drizzle-orm";
import type { StoredText } from "../core/export-tables.ts";
import { LIMITS } from "../core/limits.ts";
import type { Database } from "./connection.ts";
import { groupKey } from "./group-rows.ts";
import { requests, texts } from "./schema.ts";

type TextRow = Pick<typeof texts.$inferSelect, "request_id" | "group_index" | "rollout_index" | "text">;

/** A run's texts, oldest request first, each group's prompt before its rollouts; each page starts behind the last row of the one before. */
export async function* runTexts(db: Database, runId: string): AsyncGenerator<StoredText> {
  let last: Omit<TextRow, "text"> | undefined = { request_id: "", group_index: -1, rollout_index: -1 };
  while (last !== undefined) {
    const rows: TextRow[] = await textPage(db, runId, last);
    for (const { request_id, group_index, rollout_index, text } of rows) {
      yield {
        group_id: groupKey(request_id, group_index),
        rollout_index: rollout_index < 0 ? null : rollout_index,
        text,
      };
    }
    last = rows.length < LIMITS.export_text_rows ? undefined : rows.at(-1);
  }
}

// Lateral, so that each request is one range of the primary key.
function textPage(db: Database, runId: string, after: Omit<TextRow, "text">): Promise<TextRow[]> {
  const { request_id, group_index, rollout_index } = after;
  const page = db
    .select({
      request_id: texts.request_id,
      group_index: texts.group_index,
      rollout_index: texts.rollout_index,
      text: sql<string>`string_agg(${texts.text}, '' ORDER BY ${texts.part})`.as("text"),
    })
    .from(texts)
    .where(
      sql`${texts.request_id} = ${requests.request_id} AND (${texts.request_id}, ${texts.group_index}, ${texts.rollout_index}) > (${request_id}, ${group_index}, ${rollout_index})`,
    )
    .groupBy(texts.request_id, texts.group_index, texts.rollout_index)
    .orderBy(asc(texts.group_index), asc(texts.rollout_index))
    .limit(LIMITS.export_text_rows)
    .as("page");
  return db
    .select(page._.selectedFields)
    .from(requests)
    .innerJoinLateral(page, sql`true`)
    .where(sql`${requests.run_id} = ${runId} AND ${requests.request_id} >= ${request_id}`)
    .orderBy(asc(requests.request_id), asc(page.group_index), asc(page.rollout_index))
    .limit(LIMITS.export_text_rows) as unknown as Promise<TextRow[]>;
}
