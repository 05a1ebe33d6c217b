// Reads and writes the Worker's ES modules in a folder, and formats them for workerd's configuration.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { list, quote } from "./workerd.ts";

/** Sources by file name, including MAIN. */
export type WorkerModules = Readonly<Record<string, string>>;

/** The entry module. */
export const MAIN = "worker.mjs";

/** A Worker with one module. */
export const alone = (text: string): WorkerModules => ({ [MAIN]: text });

/** Reads all modules of a folder. */
export function readModules(folder: string): WorkerModules {
  const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Writes modules into a folder, which is created. */
export function writeModules(folder: string, modules: WorkerModules): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
}

/** The value of `modules` in workerd's configuration; the first module is the entry. */
export function modulesCapnp(modules: WorkerModules): string {
  const names = [MAIN, ...Object.keys(modules).filter((name) => name !== MAIN)];
  return list(names.map((name) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`));
}
