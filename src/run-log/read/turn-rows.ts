// Reads the turn hashes of a whole run, page by page. Independent of the HTTP routes.
import { asc, sql } from "drizzle-orm";
import type { StoredTurns } from "../../core/contract/export-tables.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Database } from "../db/connection.ts";
import { requests, turns } from "../db/schema.ts";
import { groupKey } from "./group-rows.ts";
import { lateralPage, paged } from "./run-pages.ts";

type TurnsRow = typeof turns.$inferSelect;
type TurnsRowKey = Pick<TurnsRow, "request_id" | "group_index" | "rollout_index">;

const ONE_HASH = new RegExp(`.{${LIMITS.turn_hash_chars}}`, "g");

/**
 * Yields the turn hashes of a run's multi-turn rollouts, oldest request first, reading `export_text_rows`
 * rows per round trip.
 */
export async function* runTurns(db: Database, run: RunKey): AsyncGenerator<StoredTurns> {
  const first: TurnsRowKey = { request_id: "", group_index: -1, rollout_index: -1 };
  const read = (after: TurnsRowKey) => turnsPage(db, run, after);
  for await (const { request_id, group_index, rollout_index, hashes } of paged(first, LIMITS.export_text_rows, read)) {
    yield { group_id: groupKey(request_id, group_index), rollout_index, hashes: hashes.match(ONE_HASH) ?? [] };
  }
}

function turnsPage(db: Database, run: RunKey, after: TurnsRowKey): Promise<TurnsRow[]> {
  const { request_id, group_index, rollout_index } = after;
  const page = db
    .select()
    .from(turns)
    .where(
      sql`${turns.request_id} = ${requests.request_id} AND (${turns.request_id}, ${turns.group_index}, ${turns.rollout_index}) > (${request_id}, ${group_index}, ${rollout_index})`,
    )
    .orderBy(asc(turns.group_index), asc(turns.rollout_index))
    .limit(LIMITS.export_text_rows)
    .as("page");
  return lateralPage(
    db,
    run,
    request_id,
    page,
    [asc(page.group_index), asc(page.rollout_index)],
    LIMITS.export_text_rows,
  );
}
