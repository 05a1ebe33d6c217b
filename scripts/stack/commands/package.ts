// `node scripts/stack/commands/package.ts OUT`: builds the npm package `kritai`, which is `npm start` for
// users without a clone. Modules keep their paths but are JavaScript, because Node does not strip types below
// node_modules.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { lockOf } from "../../release/lock.ts";
import { bundleWorker } from "../bundle.ts";
import { createPglite } from "../pglite.ts";
import { SHIPPED, snapshotPath } from "../pglite-snapshot.ts";
import { WORKER_FOLDER } from "../stack.ts";
import { writeModules } from "../worker-modules.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
/** The package's commands. */
const COMMANDS = ["start", "demo", "migrate", "token"];
/** The commands, and the programs that they start as separate processes. */
const ENTRIES = [
  ...COMMANDS.map((name) => `scripts/stack/commands/${name}.ts`),
  "gpu-backend/engines/cpu/sandbox/child.ts",
];
/** Files that the modules read as text, by relative path. */
const BESIDE = ["gpu-backend/engines/cpu/sandbox/*.{js,py}", "src/core/wire/programs/*.py", "problems/*.json"];
/** Packages that only a clone needs, for building and for simulating in workerd. */
const NOT_SHIPPED = ["esbuild", "miniflare"];

const [out] = process.argv.slice(2);
if (out === undefined) {
  console.error("usage: node scripts/stack/commands/package.ts OUT");
  process.exit(2);
}

const { metafile } = await build({
  ...{ absWorkingDir: ROOT, entryPoints: ENTRIES, outdir: "unused", write: false, bundle: true, metafile: true },
  ...{ format: "esm", platform: "node", packages: "external", logLevel: "error" },
});
for (const path of Object.keys(metafile.inputs)) write(path.replace(/\.ts$/, ".js"), asJavaScript(path));
writeModules(join(out, WORKER_FOLDER), await bundleWorker());
for (const path of globSync(BESIDE, { cwd: ROOT })) write(path, read(path));
for (const name of ["public", "migrations"]) cpSync(join(ROOT, name), join(out, name), { recursive: true });
write("LICENSE", read("LICENSE"));
write("README.md", read("scripts/release/kritai.md"));
write("bin/kritai.js", command());
// With the snapshot, the first start of an installation does not wait for initdb.
await (await createPglite(null)).close();
cpSync(snapshotPath(), join(out, SHIPPED));
const manifest = manifestOf();
write("package.json", asJson(manifest));
// Makes `npx` install the tested versions and check each package's hash.
write("npm-shrinkwrap.json", asJson(lockOf(manifest, JSON.parse(read("package-lock.json")))));

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out as string, path)), { recursive: true });
  writeFileSync(join(out as string, path), text);
}

/** A module without types, with its imports renamed from .ts to .js. */
function asJavaScript(path: string): string {
  return path.endsWith(".ts") ? stripTypeScriptTypes(read(path)).replaceAll(/\.ts(?=["'`])/g, ".js") : read(path);
}

/** The package's manifest, with the tested versions of all imported packages. */
function manifestOf() {
  const { version, license, description, imports } = JSON.parse(read("package.json"));
  const stated = ["package.json", "gpu-backend/package.json"].flatMap((path) => {
    const { dependencies, devDependencies } = JSON.parse(read(path));
    return Object.entries<string>({ ...devDependencies, ...dependencies });
  });
  const versions = Object.fromEntries(stated);
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  const names = imported.flatMap(({ path, external }) =>
    external && !path.startsWith("node:") ? [packageOf(path)] : [],
  );
  // Found by `require.resolve`, which esbuild does not see.
  const needed = [...new Set([...names, "workerd", "pyodide", "quickjs-emscripten"])];
  const dependencies = needed.filter((name) => !NOT_SHIPPED.includes(name)).sort();
  const missing = dependencies.filter((name) => versions[name] === undefined);
  if (missing.length > 0) throw new Error(`no package.json has a version of ${missing.join(", ")}`);
  return {
    ...{ name: "kritai", version, license, description, type: "module" },
    keywords: ["reinforcement learning", "reward model", "verifier", "best-of-n", "rlvr", "rerank"],
    engines: { node: ">=22.15" },
    bin: { kritai: "bin/kritai.js" },
    imports: JSON.parse(JSON.stringify(imports).replaceAll(/\.ts(?=")/g, ".js")),
    dependencies: Object.fromEntries(dependencies.map((name) => [name, versions[name] as string])),
  };
}

function packageOf(path: string): string {
  return path.split("/", path.startsWith("@") ? 2 : 1).join("/");
}

/**
 * The command's source, in syntax that old Node versions can read, so that they print the required version.
 */
function command(): string {
  return `#!/usr/bin/env node
// \`npx kritai\` runs the local stack; \`npx kritai COMMAND\` runs another command.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(\`kritai: needs Node 22.15 or newer, this is \${process.versions.node}\`);
  process.exit(1);
}
const COMMANDS = ${JSON.stringify(COMMANDS)};
const named = process.argv[2];
const command = named === undefined || named.startsWith("-") ? "start" : named;
if (!COMMANDS.includes(command)) {
  console.error(\`kritai: unknown command \${named}; the commands are \${COMMANDS.join(", ")}\`);
  process.exit(2);
}
if (command === named) process.argv.splice(2, 1);
await import(\`../scripts/stack/commands/\${command}.js\`);
`;
}
