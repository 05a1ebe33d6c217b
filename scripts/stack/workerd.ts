// Starts and stops a workerd process: configuration file, ports, log lines and exit. On Linux with `setpriv`,
// workerd does not outlive this process even if this process is killed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** A CommonJS package without types; the default export is the path of the binary. */
export const workerd = createRequire(import.meta.url)("workerd") as { default: string; version: string };

/** A string in workerd's configuration language, which has JSON's escapes except `\u`. */
export const quote = (text: string): string =>
  JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, (_, hex) => `\\x${hex.slice(2)}`);
export const list = (items: readonly string[]): string => `[${items.join(", ")}]`;

export interface WorkerdOptions {
  /** The configuration after `using Workerd = import ..`, with a constant `config`. */
  config: string;
  /** Files that the configuration embeds, by name. */
  files: Readonly<Record<string, string>>;
  /** The whole environment of the process, for bindings `fromEnvironment`. */
  env?: Readonly<Record<string, string>>;
  /** Whether to open a port for the inspector. */
  inspector?: boolean;
  /** Receives each line that workerd prints. */
  logged: (line: string) => void;
}

export interface Workerd {
  pid: number;
  /** Ports by socket name, including `inspector`. */
  ports: ReadonlyMap<string, number>;
  /** Resolves with the exit status when workerd exits. */
  ended: Promise<string>;
  /** Stops accepting requests, and kills workerd after `drain_ms`. */
  end(drain_ms: number): Promise<void>;
}

/** Starts workerd and resolves when it listens on all `sockets`. @throws Error with workerd's last lines */
export async function startWorkerd(sockets: readonly string[], options: WorkerdOptions): Promise<Workerd> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-workerd-"));
  const file = join(folder, "config.capnp");
  writeFileSync(file, `using Workerd = import "/workerd/workerd.capnp";\n${options.config}`);
  for (const [name, content] of Object.entries(options.files)) writeFileSync(join(folder, name), content);
  const inspector = options.inspector === true ? ["--inspector-addr=127.0.0.1:0"] : [];
  const flags = ["serve", "--experimental", "--control-fd=3", ...inspector, file];
  const [program = "", ...args] = [...withParent(), workerd.default, ...flags];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe", "pipe"], env: options.env ?? {} });
  const ended = Promise.race([once(child, "close"), once(child, "error")]).then(([why]) => `${why}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const kill = () => {
    child.kill("SIGKILL");
    remove();
  };
  process.once("exit", kill);
  void ended.then(() => {
    process.off("exit", kill);
    remove();
  });
  const last: string[] = [];
  const listening = Promise.withResolvers<ReadonlyMap<string, number>>();
  const logged = (line: string) => {
    last.splice(0, last.length - LAST_LINES, line);
    options.logged(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface(stream as Readable).on("line", logged);
  void ended.then((why) => listening.reject(new Error(`workerd exited with ${why}: ${last.join(" | ")}`)));
  readPorts(child, [...sockets, ...(inspector.length > 0 ? ["inspector"] : [])], listening.resolve);
  const ports = await listening.promise;
  return { pid: child.pid as number, ports, ended, end: (drain_ms) => end(child, ended, drain_ms) };
}

/** Lines in the error of a workerd that exits before it listens. */
const LAST_LINES = 20;

/** Reads workerd's control messages until all sockets have a port. */
function readPorts(child: ChildProcess, wanted: readonly string[], found: (ports: Map<string, number>) => void): void {
  const ports = new Map<string, number>();
  createInterface(child.stdio[3] as Readable).on("line", (line) => {
    const { event, socket, port } = JSON.parse(line) as { event: string; socket?: string; port: number };
    ports.set(event === "listen-inspector" ? "inspector" : `${socket}`, port);
    if (wanted.every((name) => ports.has(name))) found(ports);
  });
}

async function end(child: ChildProcess, ended: Promise<string>, drain_ms: number): Promise<void> {
  if (drain_ms > 0) {
    child.kill("SIGTERM");
    const over = new AbortController();
    await Promise.race([ended, sleep(drain_ms, null, { signal: over.signal })]);
    over.abort();
  }
  child.kill("SIGKILL");
  await ended;
}

let prefix: readonly string[] | null = null;

/** Makes workerd exit when this process is killed; otherwise it would keep its port. */
function withParent(): readonly string[] {
  const PREFIX = ["setpriv", "--pdeathsig", "KILL", "--"];
  prefix ??=
    process.platform === "linux" && spawnSync("setpriv", ["--pdeathsig", "KILL", "true"]).status === 0 ? PREFIX : [];
  return prefix;
}
