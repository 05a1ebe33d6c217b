// Owns the Worker as one module, and the pages that it serves: made from the sources, once for as
// long as these are the same. Knows no process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuiltFolder, isBuiltFrom, PUBLIC, replaceFolder, sourcesDigest } from "../build/public/folder.ts";
import { buildAssets } from "./assets.ts";

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/** The last bundle of ours that was made. */
const BUNDLE: BuiltFolder = {
  root: PUBLIC.root,
  sources: ["src", "scripts/stack/bundle.ts", "package.json", "package-lock.json"],
  folder: "dist/bundle",
  stamp: "dist/bundle.sha256",
};
const FILE = "worker.mjs";

/**
 * A Worker as one ES module: ours, minified, unless told otherwise. The static assets that it is
 * bound to are built where they are not there.
 */
export async function bundleWorker({ entry = ENTRY, minify = true } = {}): Promise<string> {
  await buildAssets();
  if (entry !== ENTRY || !minify) return bundled(entry, minify);
  const digest = sourcesDigest(BUNDLE);
  if (isBuiltFrom(digest, BUNDLE)) return readFileSync(join(BUNDLE.root, BUNDLE.folder, FILE), "utf8");
  const text = await bundled(entry, minify);
  replaceFolder(BUNDLE, digest, { [FILE]: text });
  return text;
}

async function bundled(entry: string, minify: boolean): Promise<string> {
  // What takes longest to load comes only once it is of use.
  const { build, stop } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  // Its helper process would otherwise stay as long as the stack.
  await stop();
  return (outputFiles[0] as { text: string }).text;
}
