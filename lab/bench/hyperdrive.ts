// The benchmark of reads of the run log by a native driver on a Hyperdrive binding against Neon's HTTP
// driver: the product's own statements, the same Postgres, the same delay on the way.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend, Statement } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { NOBODY } from "../../src/core/contract/owner.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { startPostgres } from "../../test/harness/postgres-wire.ts";
import { post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import type { Asked } from "./hyperdrive-worker.ts";
import { fill } from "./rescore-route.ts";
import { startWorkerd } from "./workerd.ts";

const WORKER = new URL("hyperdrive-worker.ts", import.meta.url).pathname;
const WARM_UP = 5;

/**
 * A loopback port before `to` that hands each piece on `delay_ms` later, there and back. With
 * `greeted` what comes before the server has spoken is not delayed: Hyperdrive greets by itself, and
 * keeps its connections to the database.
 */
async function delayed(to: URL, delay_ms: number, greeted: boolean): Promise<URL & AsyncDisposable> {
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname);
    let slow = !greeted;
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (piece) => {
        if (slow) setTimeout(() => into.write(piece), delay_ms);
        else into.write(piece);
        if (from === far) slow = true;
      });
      from.on("error", () => {}).on("close", () => into.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(to);
  url.hostname = "127.0.0.1";
  url.port = `${(server.address() as AddressInfo).port}`;
  return Object.assign(url, { [Symbol.asyncDispose]: async () => void server.close() });
}

/** The statements of what a run's page reads, as the product makes them. */
async function statementsOf(fetchEndpoint: string, sent: Statement[]): Promise<readonly Statement[]> {
  const runLog = createNeonRunLog({ databaseUrl: "", fetchEndpoint, clock: systemClock });
  const run = { run_id: "bench", owner: NOBODY };
  sent.length = 0;
  await runLog.run(run);
  await runLog.steps(run, { after: null, from: null, to: null, limit: 100 });
  await runLog.groups(run, { step: null, cursor: null, limit: 50 });
  await runLog.health(run, 20);
  return [...sent];
}

/** Time of a whole request, ms; throws where a statement has another number of rows than before. */
async function timed(url: string, way: Asked["way"], statements: readonly Statement[], rows: string): Promise<number> {
  const started = performance.now();
  const reply = await post(url, JSON.stringify({ way, statements } satisfies Asked));
  const took = performance.now() - started;
  if (reply !== rows) throw new Error(`${way}: ${reply} rows instead of ${rows}`);
  return took;
}

/**
 * One read a request, and a page's reads at once, with each delay on the way to the database, the
 * ways in turns. Against the server at DATABASE_URL, which is migrated and filled, or the embedded
 * one, which answers one at a time.
 */
export async function benchHyperdrive(load: { groups: number; requests: number; delays_ms: readonly number[] }) {
  const given = process.env.DATABASE_URL || null;
  const embedded = given === null ? await startPostgres() : null;
  const database = new URL(embedded?.url ?? (given as string));
  const postgres = createPostgres(database.href);
  await migrate(postgres);
  const sent: Statement[] = [];
  const backend: SqlBackend = {
    ...postgres,
    query(statement) {
      sent.push(statement);
      return postgres.query(statement);
    },
  };
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const script = await bundleWorker({ entry: WORKER });
  const figures: Figure[] = [];
  try {
    await fill(endpoint.url, load.groups, 16);
    const page = await statementsOf(endpoint.url, sent);
    for (const delay_ms of load.delays_ms) {
      await using http = await delayed(new URL(endpoint.url), delay_ms, false);
      await using native = await delayed(database, delay_ms, true);
      const worker = await startWorkerd({ script, vars: { SQL_URL: http.href }, hyperdrive: native });
      try {
        for (const [name, statements] of Object.entries({
          "one read": page.slice(0, 1),
          "a page's four reads": page,
        })) {
          const rows = await post(worker.url, JSON.stringify({ way: "http", statements }));
          const took: Record<Asked["way"], number[]> = { http: [], native: [] };
          for (let k = -WARM_UP; k < load.requests; k++) {
            for (const way of ["http", "native"] as const) {
              const ms = await timed(worker.url, way, statements, rows);
              if (k >= 0) took[way].push(ms);
            }
          }
          const label = `${name}, ${2 * delay_ms} ms round trip`;
          const [http_ms, native_ms] = [took.http, took.native].map((ms) => figure("", "ms", null, ms));
          figures.push(
            { ...(http_ms as Figure), name: `${label}: Neon's HTTP driver` },
            { ...(native_ms as Figure), name: `${label}: Hyperdrive` },
            figure(`${label}: Hyperdrive relative to HTTP, medians`, "ratio", null, [
              (native_ms as Figure).median / (http_ms as Figure).median,
            ]),
          );
        }
      } finally {
        await worker.close();
      }
    }
    return figures;
  } finally {
    await endpoint.close();
    await postgres.close();
    await embedded?.close();
  }
}
