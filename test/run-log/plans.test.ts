// How the database finds what is read over and over while a run goes on: by an index, not by a
// look at all that the run ever logged.
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { requestsOfLast } from "../../src/run-log/read/health-rows.ts";

it("finds a run's last steps from the end of the index by step, however long the run", async () => {
  const backend = await createPglite(null);
  await migrate(backend);
  const wanted = requestsOfLast({ run_id: "long", owner: "" }, 300);
  const { sql, params } = new PgDialect().sqlToQuery(wanted as NonNullable<typeof wanted>);
  // Of an empty table the planner reads all; with these off it sorts only where it has to.
  for (const plan of ["seqscan", "bitmapscan", "hashagg"])
    await backend.query({ query: `SET enable_${plan} = off`, params: [] });
  const query = `EXPLAIN SELECT request_id FROM requests WHERE ${sql}`;
  const { rows } = await backend.query({ query, params: params.map(String) });
  const plan = rows.map(([line]) => line).join("\n");
  expect(plan).toContain("Index Scan Backward using requests_of_step");
  expect(plan).not.toContain("Sort");
  await backend.close();
});
