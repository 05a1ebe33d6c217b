// `node scripts/stack/commands/image.ts OUT`: writes the files of the container image: one bundle per
// command, the Worker, the pages and the migrations.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleWorker } from "../bundle.ts";
import { writeModules } from "../worker-modules.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const [out] = process.argv.slice(2);
if (out === undefined) {
  console.error("usage: node scripts/stack/commands/image.ts OUT");
  process.exit(2);
}

// The same path as in the sources, because the bundles find other files by relative paths.
const folder = join(out, "scripts/stack");
mkdirSync(folder, { recursive: true });
writeModules(join(folder, "worker"), await bundleWorker());
await build({
  entryPoints: ["serve", "migrate"].map((name) => new URL(`${name}.ts`, import.meta.url).pathname),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // The Postgres client imports these optional modules only if they exist.
  external: ["pg-native", "cloudflare:*"],
  banner: {
    js: `import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);`,
  },
  logLevel: "error",
});
for (const name of ["public", "migrations"]) cpSync(join(ROOT, name), join(out, name), { recursive: true });
