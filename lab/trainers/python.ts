// Owns the Python side of the trainers' table: shims driven by clients/python/tests/drive_shims.py,
// installed trainers by drive_trainers.py, and the NeMo-Gym relay. Knows no scenario.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
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

/** Ends every process that is still there. */
export function endPython(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** A tool in a process of its own: `packaged`, its own package; else only the shim's. */
export interface PythonTool {
  name: string;
  packaged?: true;
  /** Its processes meet over torch's gloo, so that it runs where the trainers are installed. */
  meets?: true;
}

interface Driver {
  child: ChildProcess;
  said: { out: string; err: string };
  ready: Promise<void>;
}

/** Those that have imported what they need, by tool and origin. */
const waiting = new Map<string, Driver[]>();

const keyOf = (origin: string, { name, packaged }: PythonTool) => `${origin} ${name} ${packaged === true}`;

function startDriver({ origin, scale, patience_s }: Place, { name, packaged, meets }: PythonTool): Driver {
  const env = {
    KRITAI_GROUP_SIZE: `${SIZE}`,
    KRITAI_WINDOW_S: `${300 * scale}`,
    ...((patience_s !== undefined || scale !== 1) && { KRITAI_TIMEOUT_S: `${(patience_s ?? 120) * scale}` }),
  };
  const given = { ...env, KRITAI_BASE_URL: origin, TOKENIZERS_PARALLELISM: "false", OMP_NUM_THREADS: "1" };
  const child =
    packaged === true
      ? start([DRIVER, name], given, TRAINERS_PYTHON)
      : start([`${ROOT}clients/python/tests/drive_shims.py`], given, meets === true ? TRAINERS_PYTHON : PYTHON);
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
  const driver = waiting.get(keyOf(place.origin, tool))?.shift() ?? startDriver(place, tool);
  await driver.ready;
  const { child, said } = driver;
  const ended = child.exitCode === null ? once(child, "close") : [child.exitCode];
  child.stdin?.end(
    JSON.stringify({
      tool: tool.name,
      groups,
      split,
      size: SIZE,
      scale: place.scale,
      late_s: (place.late_ms ?? 0) / 1_000,
      ...(place.patience_s !== undefined && { patience_s: place.patience_s * place.scale }),
      world: place.world,
    }),
  );
  const [code] = await ended;
  if (code !== 0) throw new Error(said.err.trim().split("\n").at(-1) ?? `ended with ${code}`);
  const { values, took_s } = JSON.parse(said.out.slice("ready\n".length)) as { values: Values; took_s: number };
  return Object.assign(values, { took_ms: took_s * 1_000 });
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
