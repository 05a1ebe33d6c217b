// A stack whose database can be away: embedded Postgres behind an endpoint that stops and returns, local
// queues, the edge in workerd.
import { startEdge } from "../../scripts/stack/edge.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";

/** `delay_scale` shortens the waits before a message comes again; 1 is as deployed. */
export async function startRig(options: {
  script: WorkerModules;
  verifier_url: string;
  dataDir: string;
  delay_scale: number;
}) {
  const { script, verifier_url, dataDir, delay_scale } = options;
  const backend: SqlBackend = await createPglite(null);
  await migrate(backend);
  let endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const { port } = new URL(endpoint.url);
  const queues = openLocalQueues({ dataDir, queues: QUEUES, delay_scale });
  const vars = {
    ...{ VERIFIER_URL: verifier_url, VERIFIER_MODEL: "mock-model" },
    DATABASE_FETCH_ENDPOINT: endpoint.url,
  };
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars, queues });
  const sql = async (query: string) => (await backend.query({ query, params: [] })).rows;
  return {
    url: edge.url,
    sql,
    count: async (table: string) => Number((await sql(`SELECT count(*) FROM ${table}`))[0]?.[0]),
    backlog: () => QUEUES.reduce((sum, { queue }) => sum + queues.backlog(queue), 0),
    databaseGoes: () => endpoint.close(),
    async databaseReturns() {
      endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: Number(port), backend });
    },
    async [Symbol.asyncDispose]() {
      await edge.close();
      await queues.close();
      await endpoint.close();
      await backend.close();
    },
  };
}
