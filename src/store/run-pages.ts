// Owns reading a whole run's rows page by page, each page behind the last row of the one before. Knows no table's columns.
import { asc, type SQL, sql } from "drizzle-orm";
import type { Database } from "./connection.ts";
import { requests } from "./schema.ts";

/** Every row that `read` gives page by page, `limit` at most in each; `first` stands before them all. */
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

/**
 * A page of a run's rows, oldest request first, from the request `from` on. `page` is lateral to a request, so that each request is one
 * range of the primary key and the first page costs no more than its own rows.
 */
export function lateralPage<Row>(
  db: Database,
  runId: string,
  from: string,
  page: { getSQL(): SQL; _: { selectedFields: Record<string, unknown> } },
  order: readonly SQL[],
  limit: number,
): Promise<Row[]> {
  return db
    .select(page._.selectedFields as never)
    .from(requests)
    .innerJoinLateral(page as never, sql`true`)
    .where(sql`${requests.run_id} = ${runId} AND ${requests.request_id} >= ${from}`)
    .orderBy(asc(requests.request_id), ...order)
    .limit(limit) as unknown as Promise<Row[]>;
}
