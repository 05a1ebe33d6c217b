// Deletes old texts from the run log: prompts, rollouts and verifiers' answers. Keeps rewards, verdicts and
// hashes.
import { encodeTime } from "../../src/platform/request-ids.ts";
import type { SqlBackend } from "./sql-backend.ts";

const TABLES = ["texts", "verdict_texts", "audit_verdicts"] as const;
type Table = (typeof TABLES)[number];

/** Maximum rows per statement: a long transaction would block writers. */
const ROWS_MOST = 20_000;

/**
 * Deletes the texts of requests received before an instant, or with `dry` only counts them. Selects by the
 * time in request ids, which is a range of each table's key and includes requests that have no row.
 * @returns the number of texts by table
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
    // Audit verdicts have their text in the same row; other texts have separate rows.
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
