// Owns the Python side of the trainers' table: the shims driven by
// clients/python/tests/drive_shims.py, and the NeMo-Gym relay. Knows no scenario.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { freePorts } from "../chaos/parts.ts";
import type { Place, Values } from "./groups.ts";
import { type Group, SIZE } from "./groups.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
export const PYTHON = `${ROOT}.venv/python-client/bin/python`;

const running = new Set<ChildProcess>();

function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(PYTHON, args, {
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

/**
 * The numbers that the shim gives its tool. @throws Error with the last line of what it said when
 * it fails
 */
export async function driveShim(
  { origin, scale }: Place,
  tool: string,
  groups: readonly Group[],
  split: string,
): Promise<Values & { took_ms?: number }> {
  const env = { KRITAI_GROUP_SIZE: `${SIZE}`, KRITAI_WINDOW_S: `${300 * scale}`, KRITAI_TIMEOUT_S: `${120 * scale}` };
  const child = start([`${ROOT}clients/python/tests/drive_shims.py`], { ...env, KRITAI_BASE_URL: origin });
  const said = { out: "", err: "" };
  child.stdout?.on("data", (part) => {
    said.out += part;
  });
  child.stderr?.on("data", (part) => {
    said.err += part;
  });
  child.stdin?.end(JSON.stringify({ tool, groups, split, size: SIZE, scale }));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(said.err.trim().split("\n").at(-1) ?? `ended with ${code}`);
  const { values, took_s } = JSON.parse(said.out) as { values: Values; took_s: number };
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
