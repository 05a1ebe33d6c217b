// Builds the Worker's modules and the pages that it serves, and builds again only after the sources change.
import { basename, join } from "node:path";
import { type BuiltFolder, isBuiltFrom, PUBLIC, replaceFolder, sourcesDigest } from "../build/public/folder.ts";
import { buildAssets } from "./assets.ts";
import { MAIN, readModules, type WorkerModules } from "./worker-modules.ts";

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/** The latest bundle, in the folder that wrangler.toml names. */
const BUNDLE: BuiltFolder = {
  root: PUBLIC.root,
  sources: [
    "src",
    ...["bundle.ts", "bundle-stubs.ts", "bundle-zod.ts"].map((name) => `scripts/stack/${name}`),
    ...["package.json", "package-lock.json"],
  ],
  folder: "dist/bundle",
  stamp: "dist/bundle.sha256",
};

/**
 * A Worker as ES modules, by default the product's, minified. Each `import()` becomes a separate module, read
 * at its first use. Also builds missing static assets. Starts, tests and deploys all use these modules.
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

/** Modules by file name, and their source maps if minified. */
async function bundled(entry: string, minify: boolean): Promise<Record<string, string>> {
  // Loaded here because these modules take long to load.
  const [{ build, stop }, { schemasLater, withoutUnused }] = await Promise.all([
    import("esbuild"),
    import("./bundle-stubs.ts"),
  ]);
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
    plugins: [withoutUnused, schemasLater],
    logLevel: "error",
    // A part of zod that bundle-zod.ts does not have.
    logOverride: { "import-is-undefined": "error" },
  });
  // esbuild's helper process would otherwise run as long as the stack.
  await stop();
  return Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]));
}
