// Reads the signals of a whole run, page by page. Independent of the HTTP routes.
import { asc, sql } from "drizzle-orm";
import type { SignalRow, StoredSignal } from "../../core/contract/export-tables.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Database } from "../db/connection.ts";
import { requests, signals } from "../db/schema.ts";
import { groupKey } from "./group-rows.ts";
import { lateralPage, paged } from "./run-pages.ts";

type SignalTableRow = typeof signals.$inferSelect;
type SignalRowKey = Pick<SignalTableRow, "request_id" | "group_index" | "rollout_index" | "signal">;

/** Yields a run's signals, oldest request first, reading `export_page_rows` rows per round trip. */
export async function* runSignals(db: Database, run: RunKey): AsyncGenerator<StoredSignal> {
  const first: SignalRowKey = { request_id: "", group_index: -1, rollout_index: -1, signal: "" };
  const read = (after: SignalRowKey) => signalPage(db, run, after);
  for await (const row of paged(first, LIMITS.export_page_rows, read)) {
    const { request_id, group_index, rollout_index, signal, value, code, detail } = row;
    const group_id = groupKey(request_id, group_index);
    yield { group_id, rollout_index, signal, value, code: code as SignalRow["code"], detail };
  }
}

function signalPage(db: Database, run: RunKey, after: SignalRowKey): Promise<SignalTableRow[]> {
  const { request_id, group_index, rollout_index, signal } = after;
  const page = db
    .select()
    .from(signals)
    .where(
      sql`${signals.request_id} = ${requests.request_id} AND (${signals.request_id}, ${signals.group_index}, ${signals.rollout_index}, ${signals.signal}) > (${request_id}, ${group_index}, ${rollout_index}, ${signal})`,
    )
    .orderBy(asc(signals.group_index), asc(signals.rollout_index), asc(signals.signal))
    .limit(LIMITS.export_page_rows)
    .as("page");
  const order = [asc(page.group_index), asc(page.rollout_index), asc(page.signal)];
  return lateralPage(db, run, request_id, page, order, LIMITS.export_page_rows);
}
