// A workerd process: its configuration file, the ports on which it listens, its lines and its end. It does
// not outlive this process, where the system can see to that.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** The package is CommonJS without types; its default export is the binary's path. */
export const workerd = createRequire(import.meta.url)("workerd") as { default: string; version: string };

/** A text of workerd's configuration language, which takes JSON's escapes but `\u`. */
export const quote = (text: string): string =>
  JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, (_, hex) => `\\x${hex.slice(2)}`);
export const list = (items: readonly string[]): string => `[${items.join(", ")}]`;

export interface WorkerdOptions {
  /** The config behind `using Workerd = import ..`, with a constant `config`. */
  config: string;
  /** Beside the configuration file, which embeds them by their names. */
  files: Readonly<Record<string, string>>;
  /** All that the process sees of the environment, for bindings `fromEnvironment`. */
  env?: Readonly<Record<string, string>>;
  /** A port of the inspector too. */
  inspector?: boolean;
  /** Given each line that it prints. */
  logged: (line: string) => void;
}

export interface Workerd {
  pid: number;
  /** By the socket's name, `inspector` among them; of sockets with a port. */
  ports: ReadonlyMap<string, number>;
  /** When it ends by itself, with why. */
  ended: Promise<string>;
  /** Takes nothing new, and cuts what has not ended within `drain_ms`. */
  end(drain_ms: number): Promise<void>;
}

/** Starts it, and resolves when each of `sockets` is listened on. @throws Error with what it said */
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
  void ended.then(() => rmSync(folder, { recursive: true, force: true }));
  const last: string[] = [];
  const listening = Promise.withResolvers<ReadonlyMap<string, number>>();
  const logged = (line: string) => {
    last.splice(0, last.length - LAST_LINES, line);
    options.logged(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface(stream as Readable).on("line", logged);
  void ended.then((why) => listening.reject(new Error(`workerd ended with ${why}: ${last.join(" | ")}`)));
  readPorts(child, [...sockets, ...(inspector.length > 0 ? ["inspector"] : [])], listening.resolve);
  const ports = await listening.promise;
  return { pid: child.pid as number, ports, ended, end: (drain_ms) => end(child, ended, drain_ms) };
}

/** Last lines of a workerd that ended before it listened. */
const LAST_LINES = 20;

/** Reads workerd's control messages until each of the sockets is there. */
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

/** It would keep its port otherwise when this process is killed. */
function withParent(): readonly string[] {
  const PREFIX = ["setpriv", "--pdeathsig", "KILL", "--"];
  prefix ??=
    process.platform === "linux" && spawnSync("setpriv", ["--pdeathsig", "KILL", "true"]).status === 0 ? PREFIX : [];
  return prefix;
}
