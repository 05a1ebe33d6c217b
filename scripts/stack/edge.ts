// Runs the Worker in workerd, for the local stack and the container, with Durable Objects on disk, queues and
// pages.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getCACertificates } from "node:tls";
import type { LocalQueues } from "./queue.ts";
import { hasNoRoom } from "./queue-store.ts";
import { queuesOfWorkerd } from "./queue-worker.ts";
import { modulesCapnp, type WorkerModules } from "./worker-modules.ts";
import { list, quote, startWorkerd } from "./workerd.ts";

/** Must equal the values in wrangler.toml, which a test checks. */
export const COMPATIBILITY = { date: "2026-10-23", flags: ["nodejs_compat", "enable_request_signal"] };

/**
 * Limit of V8's heap in MiB. Cloudflare gives an isolate 128 MB; the rest is for array buffers, which are
 * outside the heap. Without a limit V8 collects garbage late. An isolate over the limit ends workerd, which
 * the process manager must restart.
 */
export const V8_FLAGS = ["--max-heap-size=96"];

/** The static assets. wrangler.toml binds the same folder, which a test checks. */
export const ASSETS = new URL("../../public", import.meta.url).pathname;

/** Classes of the Worker's Durable Objects, by binding. Must equal wrangler.toml, which a test checks. */
export const OBJECTS = {
  BATCH: "Batch",
  IDEMPOTENT_REQUESTS: "IdempotentRequests",
  DEAD_LETTERS: "DeadLetters",
  DEPLOYMENT_TOTALS: "DeploymentTotals",
  GROUP_ROOM: "GroupRoom",
  KEY_COUNTERS: "KeyCounters",
};

/** The interval of the `crons` in wrangler.toml. */
const HOUR_MS = 3_600_000;

export interface Edge {
  url: string;
  /** Runs the hourly job now. */
  scheduled(): Promise<void>;
  /** Resolves with the exit status when workerd exits by itself. */
  ended: Promise<string>;
  /**
   * Delivers due queue messages, then stops accepting requests and aborts those that do not finish within
   * `drain_ms`.
   */
  close(options?: { drain_ms: number }): Promise<void>;
}

interface EdgeOptions {
  host: string;
  port: number;
  script: WorkerModules;
  vars: Readonly<Record<string, string>>;
  /** The folder for Durable Object storage; a temporary one if omitted. */
  objectsDir?: string;
  /**
   * The Worker's queues. Without them a reply waits for the database.
   */
  queues?: LocalQueues;
  /** Receives the Worker's log lines; by default they go to standard error. */
  logged?: (line: string) => void;
}

/**
 * Runs the bundle in workerd on HOST:PORT (port 0 = a free one) with the given variables. Only the Worker's
 * own requests leave the machine.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { host, port, script, vars, queues, logged = (line) => console.error(line) } = options;
  const folder = mkdtempSync(join(tmpdir(), "kritai-edge-"));
  const bound = queues && (await queuesOfWorkerd(queues, "kritai", folder));
  // The same path as with miniflare, so that older folders still work.
  const objects = join(resolve(options.objectsDir ?? folder), "do");
  mkdirSync(objects, { recursive: true });
  // After a kill, the next start does this clean-up.
  withoutRemains(objects);
  const clean = () => {
    bound?.close();
    withoutRemains(objects);
    rmSync(folder, { recursive: true, force: true });
  };
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const config = `const config :Workerd.Config = (
  v8Flags = ${list(V8_FLAGS.map(quote))},
  services = ${list([
    `(name = "kritai", worker = .kritai)`,
    `(name = "internet", network = (allow = ["public", "private"], tlsOptions = ${tlsOptions()}))`,
    `(name = "assets", disk = (path = ${quote(ASSETS)}))`,
    `(name = "objects", disk = (path = ${quote(objects)}, writable = true))`,
    ...(bound?.services ?? []),
  ])},
  sockets = ${list([
    `(name = "http", address = ${quote(address)}, http = (), service = "kritai")`,
    ...(bound?.sockets ?? []),
  ])},
);
${workerOf(script, Object.keys(vars), bound?.binding)}`;
  const files = { ...script, ...bound?.files };
  try {
    const { ports, ended, end } = await startWorkerd(["http"], { config, files, env: vars, logged });
    const remove = () => rmSync(folder, { recursive: true, force: true });
    process.once("exit", remove);
    void ended.then(clean).finally(() => process.off("exit", remove));
    if (bound !== undefined) queues?.start(bound.deliver);
    // If the database is unreachable, the next hourly run does the work.
    const hourly = setInterval(() => void bound?.scheduled().catch(() => undefined), HOUR_MS).unref();
    return {
      scheduled: async () => bound?.scheduled(),
      url: `http://${reachable(host)}:${ports.get("http")}`,
      ended,
      async close({ drain_ms } = { drain_ms: 0 }) {
        clearInterval(hourly);
        const until = performance.now() + drain_ms;
        await queues?.pause();
        await end(Math.max(0, until - performance.now()));
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}

/**
 * Overwrites deleted dead letters, whose bytes stay in SQLite's files until they are reused: a deleted run
 * must leave no data. Other objects are deleted with their files.
 */
function withoutRemains(objects: string): void {
  const folder = join(objects, `kritai-${OBJECTS.DEAD_LETTERS}`);
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  // Without a write-ahead log, nothing was written since the last clean-up.
  for (const name of names.filter((file) => names.includes(`${file}-wal`))) {
    const db = new DatabaseSync(join(folder, name));
    try {
      db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // On a full disk a later start does the clean-up, because the write-ahead log remains.
      if (!hasNoRoom(error)) throw error;
    } finally {
      db.close();
    }
  }
}

/** The compatibility date already enables this flag, and workerd prints a warning if it is set again. */
const BY_DEFAULT = "nodejs_compat";

/**
 * The Worker's configuration. Values of variables are not written to a file: workerd reads its environment.
 */
function workerOf(script: WorkerModules, vars: readonly string[], queue: string | undefined): string {
  const bindings = [
    ...vars.map((name) => `(name = ${quote(name)}, fromEnvironment = ${quote(name)})`),
    ...Object.entries(OBJECTS).map(
      ([name, className]) => `(name = ${quote(name)}, durableObjectNamespace = ${quote(className)})`,
    ),
    ...(existsSync(ASSETS) ? [`(name = "ASSETS", service = "assets")`] : []),
    ...(queue === undefined ? [] : [queue]),
  ];
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = ${quote(name)}, uniqueKey = ${quote(`kritai-${name}`)}, enableSql = true)`,
  );
  return `const kritai :Workerd.Worker = (
  modules = ${modulesCapnp(script)},
  compatibilityDate = ${quote(COMPATIBILITY.date)},
  compatibilityFlags = ${list(COMPATIBILITY.flags.filter((flag) => flag !== BY_DEFAULT).map(quote))},
  bindings = ${list(bindings)},
  globalOutbound = "internet",
  durableObjectNamespaces = ${list(classes)},
  durableObjectStorage = (localDisk = "objects"),
);`;
}

/**
 * Trusted certificate authorities: Node's, including NODE_EXTRA_CA_CERTS, and the system's, which workerd
 * reads itself. A slim image has no system authorities.
 */
const tlsOptions = (): string =>
  `(trustBrowserCas = true, trustedCertificates = ${list(getCACertificates("default").map(quote))})`;

/** The host name by which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "*") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}
