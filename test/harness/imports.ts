// Defines what tests of the layout read: files by pattern, their texts, and what each imports.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = new URL("../../", import.meta.url).pathname;
/** Files of ours by pattern, below the repository's root. */
export const filesOf = (...patterns: string[]) => globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**"] });
export const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** A file's imports: files of ours by their path below the root, packages as they are named. */
export function importsOf(path: string, text = textOf(path)): { local: string[]; npm: string[] } {
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^;"']*?\bfrom\s+["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/gm),
  ]
    .map((match) => (match[1] ?? match[2]) as string)
    .filter((name) => !name.startsWith("node:") && !name.startsWith("cloudflare:"));
  const isOurs = (name: string) => name.startsWith(".") || name === "#said";
  const local = specifiers
    .filter(isOurs)
    .map((name) => (name === "#said" ? "src/core/faults/said.ts" : normalize(join(dirname(path), name))));
  return { local, npm: specifiers.filter((name) => !isOurs(name)) };
}
