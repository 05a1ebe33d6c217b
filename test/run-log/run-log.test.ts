// Runs the run log's contract on PGlite, and on the Postgres server at DATABASE_URL when there is one, each
// in a separate database.

import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { createNeonSpecStore } from "../../src/run-log/specs.ts";
import { runLogContract, type StoreUnderTest } from "../port-contracts/run-log.contract.ts";
import { openSchema } from "./postgres-schema.ts";

async function overEndpoint(backend: SqlBackend): Promise<StoreUnderTest> {
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
  return {
    runLog: createNeonRunLog(config),
    specs: createNeonSpecStore(config),
    async rowsOf(table, requestId) {
      const query = `SELECT * FROM ${table} WHERE request_id = $1 ORDER BY 1, 2, 3`;
      const { fields, rows } = await backend.query({ query, params: [requestId] });
      return rows.map((row) => Object.fromEntries(row.map((value, i) => [fields[i]?.name, value])));
    },
    async close() {
      await endpoint.close();
      await backend.close();
    },
  };
}

runLogContract("PGlite", async () => overEndpoint(await createPglite(null)));

const databaseUrl = process.env.DATABASE_URL;
if (databaseUrl !== undefined) {
  runLogContract("Postgres", async () => {
    const schema = await openSchema(databaseUrl);
    const store = await overEndpoint(createPostgres(schema.url));
    return {
      ...store,
      async close() {
        await store.close();
        await schema.drop();
      },
    };
  });
}
