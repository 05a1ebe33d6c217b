// The Worker's modules, and the pages that it serves: made from the sources, once for as long as these are
// the same.
import { basename, join } from "node:path";
import { type BuiltFolder, isBuiltFrom, PUBLIC, replaceFolder, sourcesDigest } from "../build/public/folder.ts";
import { buildAssets } from "./assets.ts";
import { MAIN, readModules, type WorkerModules } from "./worker-modules.ts";

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/** The last bundle of ours that was made, where wrangler.toml has it. */
const BUNDLE: BuiltFolder = {
  root: PUBLIC.root,
  sources: ["src", "scripts/stack/bundle.ts", "scripts/stack/bundle-stubs.ts", "package.json", "package-lock.json"],
  folder: "dist/bundle",
  stamp: "dist/bundle.sha256",
};

/**
 * A Worker as ES modules: ours, minified, unless asked otherwise. Each `import()` is a separate module, read
 * at its first use. The static assets that it is bound to are built where they are not there. Exactly these
 * texts are started, tested and deployed.
 */
export async function bundleWorker({ entry = ENTRY, minify = true } = {}): Promise<WorkerModules> {
  await buildAssets();
  const ours = entry === ENTRY && minify;
  const digest = ours ? sourcesDigest(BUNDLE) : "";
  if (!ours || !isBuiltFrom(digest, BUNDLE)) {
    const files = await bundled(entry, minify);
    if (!ours) return Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith(".mjs")));
    replaceFolder(BUNDLE, digest, files);
  }
  return readModules(join(BUNDLE.root, BUNDLE.folder));
}

/** Each module and, of a minified one, its map, by name. */
async function bundled(entry: string, minify: boolean): Promise<Record<string, string>> {
  // Modules that take longest to load come only once they are of use.
  const [{ build, stop }, { withoutUnused }] = await Promise.all([import("esbuild"), import("./bundle-stubs.ts")]);
  const { outputFiles } = await build({
    entryPoints: { [MAIN.replace(/\.mjs$/, "")]: entry },
    bundle: true,
    splitting: true,
    write: false,
    minify,
    sourcemap: minify && "linked",
    outdir: join(BUNDLE.root, BUNDLE.folder),
    outExtension: { ".js": ".mjs" },
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    plugins: [withoutUnused],
    logLevel: "error",
  });
  // Its helper process would otherwise stay as long as the stack.
  await stop();
  return Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]));
}
