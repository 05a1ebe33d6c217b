// Owns a bare workerd for the benchmark: its configuration, its process, and what the kernel says
// of that process. Knows no route.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { COMPATIBILITY, OBJECTS } from "../../scripts/stack/edge.ts";
import { workerd } from "../../scripts/stack/workerd.ts";
import { cpuMs, rss } from "./kernel.ts";

const START_TIMEOUT_MS = 30_000;

/** The least a Worker can be: what the runtime needs by itself. */
export const TRIVIAL_WORKER = `export default { fetch: () => new Response("ok") };`;

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
  script: string;
  vars?: Readonly<Record<string, string>>;
  inspector?: boolean;
  v8Flags?: readonly string[];
  /** Runs the Worker's Durable Objects too, with their storage on disk. */
  objects?: boolean;
}

const quote = (text: string) => JSON.stringify(text);
const list = (texts: readonly string[]) => `[${texts.map(quote).join(", ")}]`;

/** A Durable Object class is bound and stored under its own name. */
function objectsCapnp(objects: boolean) {
  if (!objects) return { bindings: [], service: "", worker: "" };
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = ${quote(name)}, uniqueKey = ${quote(name)}, enableSql = true)`,
  );
  return {
    bindings: Object.entries(OBJECTS).map(
      ([name, className]) => `(name = ${quote(name)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
    service: '\n    (name = "objects", disk = (path = "objects", writable = true)),',
    worker: `\n  durableObjectNamespaces = [${classes.join(", ")}],\n  durableObjectStorage = (localDisk = "objects"),`,
  };
}

function capnp({ vars = {}, v8Flags = [], objects = false }: WorkerdOptions): string {
  const texts = Object.entries(vars).map(([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`);
  const { bindings, service, worker } = objectsCapnp(objects);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${list(v8Flags)},
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private"])),${service}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = ${quote(COMPATIBILITY.date)},
  compatibilityFlags = ${list(COMPATIBILITY.flags)},
  bindings = [${[...texts, ...bindings].join(", ")}],
  globalOutbound = "internet",${worker}
);
`;
}

interface Ports {
  http: number;
  inspector: number | null;
}

/** Reads workerd's control messages until every port is known. */
function ports(child: ChildProcess, wanted: { inspector: boolean }): Promise<Ports> {
  const control = child.stdio[3] as Readable;
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = (said + chunk).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`workerd did not listen in time: ${said}`)), START_TIMEOUT_MS);
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}: ${said}`)));
    child.once("error", reject);
    const found: { http?: number; inspector?: number } = {};
    let rest = "";
    control.on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line) as { event: string; port: number };
        if (message.event === "listen") found.http = message.port;
        if (message.event === "listen-inspector") found.inspector = message.port;
      }
      if (found.http === undefined || (wanted.inspector && found.inspector === undefined)) return;
      clearTimeout(late);
      resolve({ http: found.http, inspector: found.inspector ?? null });
    });
  });
}

/**
 * Starts workerd with one Worker on a free loopback port; nothing but loopback can be reached from
 * it.
 */
export async function startWorkerd(options: WorkerdOptions): Promise<BareWorkerd> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-bench-"));
  writeFileSync(join(folder, "worker.mjs"), options.script);
  writeFileSync(join(folder, "config.capnp"), capnp(options));
  mkdirSync(join(folder, "objects"));
  const inspector = options.inspector === true;
  const flags = ["--control-fd=3", ...(inspector ? ["--inspector-addr=127.0.0.1:0"] : [])];
  const started = performance.now();
  const child = spawn(workerd.default, ["serve", ...flags, join(folder, "config.capnp")], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    cwd: folder,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const found = await ports(child, { inspector });
    const listening_ms = performance.now() - started;
    const pid = child.pid as number;
    return {
      url: `http://127.0.0.1:${found.http}`,
      inspector: found.inspector === null ? null : `ws://127.0.0.1:${found.inspector}/main`,
      pid,
      listening_ms,
      cpuMs: () => cpuMs(pid),
      rss: () => rss(pid),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
