// A bare workerd for the benchmark: its configuration, and what the kernel says of its process.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPATIBILITY, OBJECTS } from "../../scripts/stack/edge.ts";
import { alone, modulesCapnp, type WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { list, quote, startWorkerd as startProcess } from "../../scripts/stack/workerd.ts";
import { cpuMs, rss } from "./kernel.ts";

/** The least a Worker can be: what the runtime needs by itself. */
export const TRIVIAL_WORKER = alone(`export default { fetch: () => new Response("ok") };`);

export interface BareWorkerd {
  url: string;
  /** `ws://…` of the isolate's inspector; null unless it was asked for. */
  inspector: string | null;
  pid: number;
  /** From exec until the socket listened, ms. */
  listening_ms: number;
  /** User and system time of all threads so far, ms; 10 ms a step. */
  cpuMs(): number;
  /** Resident memory, and the most it has been, bytes. */
  rss(): { now: number; peak: number };
  close(): Promise<void>;
}

export interface WorkerdOptions {
  script: WorkerModules;
  vars?: Readonly<Record<string, string>>;
  inspector?: boolean;
  v8Flags?: readonly string[];
  /** Runs the Worker's Durable Objects too, with their storage on disk. */
  objects?: boolean;
  /** A Postgres on loopback, bound as HYPERDRIVE: the connection is handed through, nothing is pooled. */
  hyperdrive?: URL;
}

/** The binding, and the way that it goes. */
function hyperdriveCapnp(url: URL | undefined) {
  if (url === undefined) return { bindings: [], services: [] };
  const [database, user, password] = [url.pathname.slice(1), url.username, url.password].map(quote);
  const to = `database = ${database}, user = ${user}, password = ${password}, scheme = "postgresql"`;
  return {
    bindings: [`(name = "HYPERDRIVE", hyperdrive = (designator = "database", ${to}))`],
    services: [`(name = "database", external = (address = ${quote(url.host)}, tcp = ()))`],
  };
}

/** A Durable Object class is bound and stored under its own name. */
function objectsCapnp(objects: boolean, folder: string) {
  if (!objects) return { bindings: [], services: [], worker: "" };
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = ${quote(name)}, uniqueKey = ${quote(name)}, enableSql = true)`,
  );
  return {
    bindings: Object.entries(OBJECTS).map(
      ([name, className]) => `(name = ${quote(name)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
    services: [`(name = "objects", disk = (path = ${quote(folder)}, writable = true))`],
    worker: `\n  durableObjectNamespaces = ${list(classes)},\n  durableObjectStorage = (localDisk = "objects"),`,
  };
}

function capnp({ vars = {}, v8Flags = [], objects = false, ...options }: WorkerdOptions, folder: string): string {
  const texts = Object.entries(vars).map(([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`);
  const { bindings, services, worker } = objectsCapnp(objects, folder);
  const hyperdrive = hyperdriveCapnp(options.hyperdrive);
  const main = [`(name = "main", worker = .main)`, `(name = "internet", network = (allow = ["private"]))`];
  return `const config :Workerd.Config = (
  v8Flags = ${list(v8Flags.map(quote))},
  services = ${list([...main, ...services, ...hyperdrive.services])},
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = ${modulesCapnp(options.script)},
  compatibilityDate = ${quote(COMPATIBILITY.date)},
  compatibilityFlags = ${list(COMPATIBILITY.flags.map(quote))},
  bindings = ${list([...texts, ...bindings, ...hyperdrive.bindings])},
  globalOutbound = "internet",${worker}
);
`;
}

/**
 * Starts workerd with one Worker on a free loopback port; nothing but loopback can be reached from
 * it.
 */
export async function startWorkerd(options: WorkerdOptions): Promise<BareWorkerd> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-bench-"));
  const objects = join(folder, "objects");
  mkdirSync(objects);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const started = performance.now();
  try {
    const { pid, ports, end } = await startProcess(["http"], {
      config: capnp(options, objects),
      files: options.script,
      inspector: options.inspector === true,
      logged: () => {},
    });
    return {
      url: `http://127.0.0.1:${ports.get("http")}`,
      inspector: ports.has("inspector") ? `ws://127.0.0.1:${ports.get("inspector")}/main` : null,
      pid,
      listening_ms: performance.now() - started,
      cpuMs: () => cpuMs(pid),
      rss: () => rss(pid),
      async close() {
        await end(0);
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
