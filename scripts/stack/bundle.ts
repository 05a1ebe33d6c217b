// Owns the Worker as one module, and the pages that it serves: made from the sources, once for as
// long as these are the same. Knows no process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuiltFolder, isBuiltFrom, PUBLIC, replaceFolder, sourcesDigest } from "../build/public/folder.ts";
import { buildAssets } from "./assets.ts";

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/** The last bundle of ours that was made, where wrangler.toml has it. */
const BUNDLE: BuiltFolder = {
  root: PUBLIC.root,
  sources: ["src", "scripts/stack/bundle.ts", "scripts/stack/bundle-stubs.ts", "package.json", "package-lock.json"],
  folder: "dist/bundle",
  stamp: "dist/bundle.sha256",
};
const FILE = "worker.mjs";
const MAP = `${FILE}.map`;

/**
 * A Worker as one ES module: ours, minified, unless told otherwise. The static assets that it is
 * bound to are built where they are not there. What is started, tested and deployed is this text.
 */
export async function bundleWorker({ entry = ENTRY, minify = true } = {}): Promise<string> {
  await buildAssets();
  if (entry !== ENTRY || !minify) return (await bundled(entry, minify)).code;
  const digest = sourcesDigest(BUNDLE);
  if (isBuiltFrom(digest, BUNDLE)) return readFileSync(join(BUNDLE.root, BUNDLE.folder, FILE), "utf8");
  const { code, map } = await bundled(entry, minify);
  const text = `${code}\n//# sourceMappingURL=${MAP}\n`;
  replaceFolder(BUNDLE, digest, { [FILE]: text, [MAP]: map });
  return text;
}

async function bundled(entry: string, minify: boolean): Promise<{ code: string; map: string }> {
  // What takes longest to load comes only once it is of use.
  const [{ build, stop }, { withoutUnused }] = await Promise.all([import("esbuild"), import("./bundle-stubs.ts")]);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify,
    sourcemap: minify && "external",
    outfile: join(BUNDLE.root, BUNDLE.folder, FILE),
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    plugins: [withoutUnused],
    logLevel: "error",
  });
  // Its helper process would otherwise stay as long as the stack.
  await stop();
  const ending = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { code: ending(FILE), map: ending(MAP) };
}
