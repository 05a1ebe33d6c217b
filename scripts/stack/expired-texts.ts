// Takes old texts out of the run log: prompts, rollouts and what verifiers wrote. Rewards, verdicts and
// hashes stay.
import { encodeTime } from "../../src/platform/request-ids.ts";
import type { SqlBackend } from "./sql-backend.ts";

const TABLES = ["texts", "verdict_texts", "audit_verdicts"] as const;
type Table = (typeof TABLES)[number];

/** Rows of one statement: a long transaction would hold up the writers. */
const ROWS_MOST = 20_000;

/**
 * Deletes the texts of requests that came before an instant, or with `dry` only counts them. Goes by
 * the time in their ids: a range of each table's key, and it holds what a request left that never
 * came to its own row.
 * @returns texts by table
 */
export async function expireTexts(
  backend: SqlBackend,
  before: Date,
  { dry = false, rows_most = ROWS_MOST } = {},
): Promise<Record<Table, number>> {
  const old = "request_id < $1";
  const params = [encodeTime(before.getTime())];
  const counts = { texts: 0, verdict_texts: 0, audit_verdicts: 0 };
  for (const table of TABLES) {
    // An audit's verdict holds its text; the others' texts are separate.
    const [take, due] =
      table === "audit_verdicts"
        ? [`UPDATE ${table} SET text = NULL`, `${old} AND text IS NOT NULL`]
        : [`DELETE FROM ${table}`, old];
    if (dry) {
      const { rows } = await backend.query({ query: `SELECT count(*) FROM ${table} WHERE ${due}`, params });
      counts[table] = Number(rows[0]?.[0] ?? 0);
      continue;
    }
    const query = `${take} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${due} LIMIT ${rows_most}))`;
    for (let gone = rows_most; gone === rows_most; counts[table] += gone) {
      gone = (await backend.query({ query, params })).rowCount;
    }
  }
  return counts;
}
