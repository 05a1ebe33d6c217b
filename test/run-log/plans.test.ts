// How the database finds what is read over and over while a run goes on: by an index, not by a
// look at all that the run ever logged.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { requestsOfLast } from "../../src/run-log/read/health-rows.ts";

const RUN = { run_id: "long", owner: "" };

/**
 * How the database would read the rows. Of an empty table the planner reads all; with these off it
 * sorts only where it has to.
 */
async function planOf(wanted: SQL): Promise<string> {
  const backend = await createPglite(null);
  await migrate(backend);
  const { sql, params } = new PgDialect().sqlToQuery(wanted);
  for (const plan of ["seqscan", "bitmapscan", "hashagg"])
    await backend.query({ query: `SET enable_${plan} = off`, params: [] });
  const { rows } = await backend.query({ query: `EXPLAIN ${sql}`, params: params.map(String) });
  await backend.close();
  return rows.map(([line]) => line).join("\n");
}

it("finds a run's last steps from the end of the index by step, however long the run", async () => {
  const plan = await planOf(sql`SELECT request_id FROM requests WHERE ${requestsOfLast(RUN, 300)}`);
  expect(plan).toContain("Index Scan Backward using requests_of_step");
  expect(plan).not.toContain("Sort");
});
