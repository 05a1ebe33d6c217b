// The edge as a separate process: the Worker in workerd with its objects and its log queue on disk, before a
// database and a gateway that others run.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startEdge } from "../../scripts/stack/edge.ts";
import { openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import { readModules } from "../../scripts/stack/worker-modules.ts";

const {
  HOST = "127.0.0.1",
  PORT = "0",
  DATA_DIR = ".kritai",
  DATABASE_FETCH_ENDPOINT = "",
  VERIFIER_URL = "",
  SCRIPT = "",
} = process.env;
mkdirSync(DATA_DIR, { recursive: true });
const queues = openLocalQueues({ dataDir: DATA_DIR, queues: QUEUES });
const edge = await startEdge({
  host: HOST,
  port: Number(PORT),
  script: readModules(SCRIPT),
  vars: {
    DATABASE_URL: "postgres://local:local@127.0.0.1/local",
    DATABASE_FETCH_ENDPOINT,
    VERIFIER_URL,
    VERIFIER_PROTOCOL: "verify",
  },
  objectsDir: join(DATA_DIR, "objects"),
  queues,
});
console.log(`ready ${edge.url}`);
