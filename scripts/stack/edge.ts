// The edge of the local stack and of the container: the Worker in workerd, with its objects on disk, its
// queues and its pages. Knows neither database nor verifier.
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

/** Must equal wrangler.toml; a test holds them together. */
export const COMPATIBILITY = { date: "2026-10-23", flags: ["nodejs_compat", "enable_request_signal"] };

/**
 * The most that V8's heap may take, MiB, as Cloudflare gives an isolate 128 MB: what is left is for array
 * buffers, which lie outside the heap. Without a limit V8 lets garbage lie. An isolate that needs more ends
 * workerd, and whoever runs it starts it again.
 */
export const V8_FLAGS = ["--max-heap-size=96"];

/** The static assets; wrangler.toml binds them alike, which a test holds. */
export const ASSETS = new URL("../../public", import.meta.url).pathname;

/** The Worker's Durable Objects, by binding; a test holds them and wrangler.toml together. */
export const OBJECTS = {
  BATCH: "Batch",
  IDEMPOTENT_REQUESTS: "IdempotentRequests",
  DEAD_LETTERS: "DeadLetters",
  DEPLOYMENT_TOTALS: "DeploymentTotals",
  GROUP_ROOM: "GroupRoom",
  KEY_COUNTERS: "KeyCounters",
};

/** wrangler.toml's `crons`; the minute does not matter here. */
const HOUR_MS = 3_600_000;

export interface Edge {
  url: string;
  /** The hourly work, now. */
  scheduled(): Promise<void>;
  /** When workerd ends without being asked to, with why. */
  ended: Promise<string>;
  /**
   * Cuts what is under way, unless it ends within `drain_ms`, in which nothing new is taken; what
   * the queues can deliver comes first.
   */
  close(options?: { drain_ms: number }): Promise<void>;
}

interface EdgeOptions {
  host: string;
  port: number;
  script: WorkerModules;
  vars: Readonly<Record<string, string>>;
  /** Where Durable Objects keep their storage; a temporary folder when left out. */
  objectsDir?: string;
  /**
   * Bound as the Worker's queues, and delivered to it; without them a reply waits for the database.
   */
  queues?: LocalQueues;
  /** Given each line that the Worker logs, in place of standard error. */
  logged?: (line: string) => void;
}

/**
 * Runs the bundle in workerd on HOST:PORT (port 0 = a free one) with the given variables. Nothing
 * leaves the machine but what the Worker asks for.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { host, port, script, vars, queues, logged = (line) => console.error(line) } = options;
  const folder = mkdtempSync(join(tmpdir(), "kritai-edge-"));
  const bound = queues && (await queuesOfWorkerd(queues, "kritai", folder));
  // As miniflare had it, so that folders from before go on.
  const objects = join(resolve(options.objectsDir ?? folder), "do");
  mkdirSync(objects, { recursive: true });
  // An end by a kill leaves it to the next start.
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
    void ended.then(clean);
    if (bound !== undefined) queues?.start(bound.deliver);
    // A database that is away now is swept in the next hour.
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
 * Letters are deleted one by one, and their bytes stay in SQLite's files until something takes their
 * place: those of a run that was deleted are to be nowhere. Other objects go whole, files and all.
 */
function withoutRemains(objects: string): void {
  const folder = join(objects, `kritai-${OBJECTS.DEAD_LETTERS}`);
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  // Without a log nothing was written since the last time.
  for (const name of names.filter((file) => names.includes(`${file}-wal`))) {
    const db = new DatabaseSync(join(folder, name));
    try {
      db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // On a full disk they wait for a start that has room: the log beside the file stays.
      if (!hasNoRoom(error)) throw error;
    } finally {
      db.close();
    }
  }
}

/** Workerd prints a line where it is named that is on by its date. */
const BY_DEFAULT = "nodejs_compat";

/** The variables' values are in no file: workerd takes them from its environment. */
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
 * Whom https trusts: Node's authorities with those of NODE_EXTRA_CA_CERTS, and the system's, which
 * workerd reads itself. A slim image has none.
 */
const tlsOptions = (): string =>
  `(trustBrowserCas = true, trustedCertificates = ${list(getCACertificates("default").map(quote))})`;

/** Where this machine reaches what listens on a host. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "*") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}
