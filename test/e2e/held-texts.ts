// A stack on disk whose queue can be held back, and the search for a text in all that it keeps: every table,
// every file of its folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startEdge } from "../../scripts/stack/edge.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";

export async function startOnDisk(dataDir: string, script: WorkerModules, verifier_url: string, vars = {}) {
  const backend = await createPglite(dataDir);
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const queues = openLocalQueues({ dataDir, queues: QUEUES, delay_scale: 0.001 });
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const held: typeof queues = {
    ...queues,
    start: (deliver) => queues.start(async (queue, messages) => gate.promise.then(() => deliver(queue, messages))),
  };
  const edge = await startEdge({
    ...{ host: "127.0.0.1", port: 0, script, queues: held, objectsDir: join(dataDir, "objects") },
    vars: {
      ...{ VERIFIER_URL: verifier_url, VERIFIER_MODEL: "mock-model", DATABASE_FETCH_ENDPOINT: endpoint.url },
      ...vars,
    },
  });
  const sql = async (query: string) => (await backend.query({ query, params: [] })).rows;
  return {
    url: edge.url,
    scheduled: edge.scheduled,
    sql,
    send: (message: unknown) => queues.send(QUEUES[0]?.queue as string, [JSON.stringify(message)]),
    /** Nothing is delivered from here on. */
    hold() {
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    backlog: () => QUEUES.reduce((sum, { queue }) => sum + queues.backlog(queue), 0),
    /** Tables whose rows hold the text. */
    async tablesWith(text: string): Promise<string[]> {
      const named = await sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
      const found: string[] = [];
      for (const [table] of named) {
        const rows = await sql(`SELECT count(*) FROM "${table}" AS t WHERE strpos(t::text, '${text}') > 0`);
        if (Number(rows[0]?.[0]) > 0) found.push(`${table}`);
      }
      return found;
    },
    async close() {
      gate.resolve();
      await edge.close();
      await queues.close();
      await endpoint.close();
      await backend.close();
    },
  };
}

/** Files below a folder that hold the text, as UTF-8 or UTF-16. */
export function filesWith(folder: string, text: string): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, "utf16le")];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return forms.some((form) => bytes.includes(form));
    });
}
