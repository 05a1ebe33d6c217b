// The container's service: runs the Worker in workerd with the database, judge and keys that the environment
// variables name. Builds nothing and embeds nothing.
import { once } from "node:events";
import { join } from "node:path";
import { readEnv, VARIABLES } from "../../../src/env.ts";
import { lockDirectory } from "../data-dir-lock.ts";
import { databaseAt } from "../database-url.ts";
import { startEdge } from "../edge.ts";
import { startFront } from "../front.ts";
import { openLocalQueues } from "../queue.ts";
import { QUEUES } from "../queue-worker.ts";
import { readModules } from "../worker-modules.ts";

/**
 * As in wrangler.toml: without keys the service would be open, and without the others it could not answer.
 */
const REQUIRED = ["API_KEYS", "DATABASE_URL", "VERIFIER_URL"];
/** Time for requests in flight to finish after a stop signal, as on Cloudflare's network. */
const DRAIN_MS = 30_000;
/** The Worker's modules, in a folder next to the bundle of this file. */
const WORKER = new URL("worker", import.meta.url).pathname;

const { PORT = "8787", HOST = "0.0.0.0", DATA_DIR = "/data" } = process.env;
const vars = Object.fromEntries(
  VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : [])),
);
const faults = [
  ...REQUIRED.filter((name) => vars[name] === undefined).map((name) => `${name}: required`),
  ...readEnv({ ...vars, KEY_COUNTERS: {} }).faults.map(({ path, message }) => `${path}: ${message}`),
  ...(/^\d{1,5}$/.test(PORT) ? [] : ["PORT: must be an integer from 0 to 65535"]),
];
if (faults.length > 0) fail(faults);

try {
  const signal = Promise.race(["SIGTERM", "SIGINT"].map((name) => once(process, name)));
  const unlock = lockDirectory(DATA_DIR);
  const database = await databaseAt(vars.DATABASE_URL as string);
  const queues = openLocalQueues({ dataDir: DATA_DIR, queues: QUEUES });
  const edge = await startEdge({
    ...{ host: "127.0.0.1", port: 0, queues, objectsDir: join(DATA_DIR, "objects") },
    script: readModules(WORKER),
    vars: { ...vars, ...database.vars },
    logged: (line) => console.log(line),
  });
  const front = await startFront({ host: HOST, port: Number(PORT) }, Number(new URL(edge.url).port));
  console.log(`ready on ${HOST}:${PORT}, database: ${database.name}`);
  const why = await Promise.race([signal.then(() => null), edge.ended]);
  if (why !== null) fail([`workerd exited with ${why}`]);
  console.log(`stopping: requests in flight have ${DRAIN_MS / 1000} s to finish`);
  front.refuse();
  await edge.close({ drain_ms: DRAIN_MS });
  await queues.close();
  await database.close();
  unlock();
  process.exit(0);
} catch (error) {
  fail([error instanceof Error ? error.message : String(error)]);
}

/** Prints one line per fault and exits with 1. */
function fail(messages: readonly string[]): never {
  for (const message of messages) console.error(`kritai: ${message}`);
  process.exit(1);
}
