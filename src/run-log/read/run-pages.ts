// Reads all rows of a run page by page, with keyset pagination.
import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import type { Database } from "../db/connection.ts";
import { requests } from "../db/schema.ts";

/**
 * Yields the rows of all pages.
 * @param first a key that sorts before all rows
 * @param limit maximum number of rows per page; a shorter page is the last
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

/** SQL condition for the requests of one owner's run, without abandoned attempts. */
export function requestsOf({ run_id, owner }: RunKey): SQL | undefined {
  return and(eq(requests.run_id, run_id), eq(requests.owner, owner), ne(requests.kind, "attempt"));
}

/**
 * Joins the rows of `tables` to each request in `req`. Without OFFSET 0, Postgres would scan the rows of all
 * runs, because it cannot estimate how few requests there are.
 */
export const ofRequest = (tables: string, columns = "*"): string =>
  `CROSS JOIN LATERAL (SELECT ${columns} FROM ${tables} WHERE request_id = req.request_id OFFSET 0)`;

/**
 * Reads a page of a run's rows, oldest request first, from the request `from` on, filtered by `more`. `page`
 * is a lateral subquery of each request, so each request is one range of the primary key, and the first page
 * reads only its own rows.
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
