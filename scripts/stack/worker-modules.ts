// The Worker as ES modules: the one that is started, and those that it imports when it first needs them. In a
// folder, and as workerd's configuration names them. Makes none.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { list, quote } from "./workerd.ts";

/** Texts by file name; MAIN is among them. */
export type WorkerModules = Readonly<Record<string, string>>;

/** What is started. */
export const MAIN = "worker.mjs";

/** A Worker of one module. */
export const alone = (text: string): WorkerModules => ({ [MAIN]: text });

/** All modules of a folder. */
export function readModules(folder: string): WorkerModules {
  const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Puts them into a folder, which is made. */
export function writeModules(folder: string, modules: WorkerModules): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
}

/** As the value of `modules` in workerd's configuration, where the first is what is started. */
export function modulesCapnp(modules: WorkerModules): string {
  const names = [MAIN, ...Object.keys(modules).filter((name) => name !== MAIN)];
  return list(names.map((name) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`));
}
