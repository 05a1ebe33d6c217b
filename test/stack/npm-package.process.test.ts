// Holds the npm package to what is said of it: in an empty folder, beside the packages that its
// manifest names and no others, it starts, scores a group and ends.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import groups from "../../problems/groups.json" with { type: "json" };
import { ROOT } from "../harness/imports.ts";

let folder: string;
let command: string;
const children: ChildProcess[] = [];

const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));

/** Lays beside a package what it depends on, as npm does; what the repository has, without a registry. */
function install(path: string): void {
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(path);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const [from, to] = [join(ROOT, "node_modules", name), join(folder, "node_modules", name)];
    if (existsSync(to) || !existsSync(from)) continue;
    cpSync(from, to, { recursive: true });
    install(to);
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kritai-npm-"));
  const installed = join(folder, "node_modules/kritai");
  execFileSync(process.execPath, [join(ROOT, "scripts/stack/commands/package.ts"), installed]);
  install(installed);
  command = join(installed, manifestOf(installed).bin.kritai);
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const started = (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [command, ...args], {
    ...{ cwd: folder, stdio: ["ignore", "pipe", "inherit"], env: { PATH: process.env.PATH, ...env } },
  });
  children.push(child);
  return child as ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> };
};

it("starts the stack in an empty folder, whose judge runs programs, and ends when told", async () => {
  const child = started([], { PORT: "0" });
  let url = "";
  for await (const line of createInterface(child.stdout)) {
    url = /^ready (\S+)/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  const response = await fetch(`${url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ groups: groups.slice(0, 1) }),
  });
  const { rewards } = (await response.json()) as { rewards: (number | null)[][] };
  expect(response.status).toBe(200);
  expect(new Set(rewards[0]).size).toBeGreaterThan(1);
  expect(rewards[0]).not.toContain(null);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  // Its data is where it was started.
  expect(existsSync(join(folder, ".kritai"))).toBe(true);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("names its commands where it is given none of them", async () => {
  const child = started(["serve"]);
  expect(await once(child, "exit")).toEqual([2, null]);
});
