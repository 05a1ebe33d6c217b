// The Python side of the trainers' table: shims driven by clients/python/tests/drive_shims.py, installed
// trainers by drive_trainers.py, and the NeMo-Gym relay.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { freePorts } from "../chaos/parts.ts";
import type { Place, Values } from "./groups.ts";
import { type Group, SIZE } from "./groups.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
export const PYTHON = `${ROOT}.venv/python-client/bin/python`;
const TRAINERS_VENV = `${ROOT}.venv/python-client-trainers`;
const TRAINERS_PYTHON = `${TRAINERS_VENV}/bin/python`;
const DRIVER = `${ROOT}clients/python/tests/drive_trainers.py`;

/**
 * Versions of the trainers' packages by name; empty where they are not installed (`bash
 * clients/python/run-tests.sh --trainers --prepare`).
 */
export function installedTrainers(): Readonly<Record<string, string>> {
  // Written when all of it is there.
  if (!existsSync(`${TRAINERS_VENV}/installed`)) return {};
  const env = { PATH: process.env.PATH ?? "" };
  return JSON.parse(execFileSync(TRAINERS_PYTHON, [DRIVER, "versions"], { encoding: "utf8", env }));
}

const running = new Set<ChildProcess>();

function start(args: readonly string[], env: Record<string, string>, python = PYTHON): ChildProcess {
  const child = spawn(python, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "", PYTHONPATH: `${ROOT}clients/python/src`, ...env },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ends every process that is still there; a package's ends its children. */
export function endPython(): void {
  for (const child of running) child.kill("SIGTERM");
  servers.clear();
}

/** A tool in a separate process: `packaged`, its own package; else only the shim's. */
export interface PythonTool {
  name: string;
  packaged?: true;
  /** Its processes meet over torch's gloo, so that it runs where the trainers are installed. */
  meets?: true;
}

type Told = { values: Values; took_s: number } | { error: string };

/** A package's process, which forks for each plan: what it imports takes seconds. */
interface Server {
  child: ChildProcess;
  ready: Promise<void>;
  /** Results that its children have not reported yet. */
  plans: Map<number, (result: Told) => void>;
}

const servers = new Map<string, Server>();
let plans = 0;

function serverOf(tool: string): Server {
  const known = servers.get(tool);
  if (known !== undefined) return known;
  const child = start([DRIVER, tool], { TOKENIZERS_PARALLELISM: "false", OMP_NUM_THREADS: "1" }, TRAINERS_PYTHON);
  const [lines, errors] = [child.stdout, child.stderr].map((input) => createInterface({ input: input as Readable }));
  const ready = Promise.withResolvers<void>();
  const server: Server = { child, ready: ready.promise, plans: new Map() };
  let last = "";
  errors?.on("line", (line) => {
    last = line;
  });
  lines?.on("line", (line) => {
    if (line === "ready") return ready.resolve();
    const { id, ...result } = JSON.parse(line) as Told & { id: number };
    server.plans.get(id)?.(result as Told);
  });
  child.once("close", (code) => {
    ready.resolve();
    if (servers.get(tool) === server) servers.delete(tool);
    for (const settle of server.plans.values()) settle({ error: `exited with code ${code}: ${last}` });
  });
  servers.set(tool, server);
  return server;
}

/** @throws Error with the last line of what the child said when it fails */
async function askPackage(tool: string, env: Record<string, string>, plan: object): Promise<Told> {
  const { child, ready, plans: waiting } = serverOf(tool);
  await ready;
  const id = plans++;
  const { promise, resolve } = Promise.withResolvers<Told>();
  waiting.set(id, resolve);
  child.stdin?.write(`${JSON.stringify({ ...plan, id, env })}\n`);
  return promise.finally(() => waiting.delete(id));
}

interface Driver {
  child: ChildProcess;
  said: { out: string; err: string };
  ready: Promise<void>;
}

/** Those that have imported what they need, by tool and origin. */
const waiting = new Map<string, Driver[]>();

const keyOf = (origin: string, { name }: PythonTool) => `${origin} ${name}`;

const variablesOf = ({ origin, scale, patience_s }: Place) => ({
  KRITAI_BASE_URL: origin,
  KRITAI_GROUP_SIZE: `${SIZE}`,
  KRITAI_WINDOW_S: `${300 * scale}`,
  ...((patience_s !== undefined || scale !== 1) && { KRITAI_TIMEOUT_S: `${(patience_s ?? 120) * scale}` }),
});

function startDriver(place: Place, { meets }: PythonTool): Driver {
  const script = `${ROOT}clients/python/tests/drive_shims.py`;
  const child = start([script], variablesOf(place), meets === true ? TRAINERS_PYTHON : PYTHON);
  const said = { out: "", err: "" };
  const ready = Promise.withResolvers<void>();
  child.stdout?.on("data", (part) => {
    said.out += part;
    if (said.out.startsWith("ready\n")) ready.resolve();
  });
  child.stderr?.on("data", (part) => {
    said.err += part;
  });
  child.once("exit", () => ready.resolve());
  return { child, said, ready: ready.promise };
}

/** Starts the tool's process, and resolves when it could ask: trouble may begin then. */
export async function readyPython(place: Place, tool: PythonTool): Promise<void> {
  if (tool.packaged === true) return serverOf(tool.name).ready;
  const driver = startDriver(place, tool);
  const key = keyOf(place.origin, tool);
  waiting.set(key, [...(waiting.get(key) ?? []), driver]);
  await driver.ready;
}

/**
 * The numbers that the tool would train on. @throws Error with the last line of what it said when
 * it fails
 */
export async function drivePython(
  place: Place,
  tool: PythonTool,
  groups: readonly Group[],
  split: string,
): Promise<Values & { took_ms?: number }> {
  const plan = {
    ...{ tool: tool.name, groups, split, size: SIZE, scale: place.scale, world: place.world },
    late_s: (place.late_ms ?? 0) / 1_000,
    ...(place.patience_s !== undefined && { patience_s: place.patience_s * place.scale }),
  };
  const asks = tool.packaged === true ? askPackage(tool.name, variablesOf(place), plan) : askShim(place, tool, plan);
  const result = await asks;
  if ("error" in result) throw new Error(result.error);
  return Object.assign(result.values, { took_ms: result.took_s * 1_000 });
}

async function askShim(place: Place, tool: PythonTool, plan: object): Promise<Told> {
  const driver = waiting.get(keyOf(place.origin, tool))?.shift() ?? startDriver(place, tool);
  await driver.ready;
  const { child, said } = driver;
  const ended = child.exitCode === null ? once(child, "close") : [child.exitCode];
  child.stdin?.end(JSON.stringify(plan));
  const [code] = await ended;
  return code === 0
    ? JSON.parse(said.out.slice("ready\n".length))
    : { error: said.err.trim().split("\n").at(-1) ?? `exited with code ${code}` };
}

/** The relay of NeMo-Gym on a free port, with these options of the route. Ended by endPython. */
export async function startRelay(origin: string, query: string): Promise<string> {
  const [port = 0] = await freePorts(1);
  const args = ["-m", "kritai.shims.nemo_gym_relay", String(port)];
  const child = start(args, { KRITAI_BASE_URL: origin, KRITAI_QUERY: query });
  child.stdout?.resume();
  child.stderr?.resume();
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    if (
      await fetch(`${url}/reverify_mode`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return url;
    await pause(50);
  }
  throw new Error("the relay did not start");
}
