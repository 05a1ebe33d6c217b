// Reads a whole run's rows page by page, each page behind the last row of the one before.
import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";

/**
 * Every row that `read` gives page by page, `limit` at most in each; `first` stands before them
 * all.
 */
export async function* paged<Row extends Key, Key>(
  first: Key,
  limit: number,
  read: (after: Key) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let after: Key | undefined = first; after !== undefined; ) {
    const rows: Row[] = await read(after);
    yield* rows;
    after = rows.length < limit ? undefined : rows.at(-1);
  }
}

/** The requests of a run, which are its owner's alone, without attempts that were broken off. */
export function requestsOf({ run_id, owner }: RunKey): SQL | undefined {
  return and(eq(requests.run_id, run_id), eq(requests.owner, owner), ne(requests.kind, "attempt"));
}

/**
 * The rows of `tables` of each request in `req`, behind it in a FROM. Without OFFSET 0 Postgres does not
 * know how few requests there are, and reads the tables of all runs.
 */
export const ofRequest = (tables: string, columns = "*"): string =>
  `CROSS JOIN LATERAL (SELECT ${columns} FROM ${tables} WHERE request_id = req.request_id OFFSET 0)`;

/**
 * A page of a run's rows, oldest request first, from the request `from` on, of those that `more`
 * selects. `page` is lateral to a request, so that each request is one range of the primary key and
 * the first page costs no more than its own rows.
 */
export function lateralPage<Row>(
  db: Database,
  run: RunKey,
  from: string,
  page: { getSQL(): SQL; _: { selectedFields: Record<string, unknown> } },
  order: readonly SQL[],
  limit: number,
  more?: SQL,
): Promise<Row[]> {
  return db
    .select(page._.selectedFields as never)
    .from(requests)
    .innerJoinLateral(page as never, sql`true`)
    .where(and(requestsOf(run), sql`${requests.request_id} >= ${from}`, more))
    .orderBy(asc(requests.request_id), ...order)
    .limit(limit) as unknown as Promise<Row[]>;
}
