// `node scripts/release/main.ts`: builds, checks and describes the files of a release, from a copy of the
// sources with the new version. Signs nothing and uploads nothing.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { commandFlags } from "../command-line/flags.ts";
import { installBeside } from "../project/beside.ts";
import { build } from "./artifacts.ts";
import { describe } from "./describe.ts";
import { released, setVersion, versionFault, versionOf } from "./versions.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Inside the repository, so that builds find the installed packages. */
const STAGE = join(ROOT, "dist/release-stage");
const PACKAGES = ["node_modules", "test/node_modules"];

const { version, out, write } = commandFlags({
  command: "release",
  call: "node scripts/release/main.ts",
  description:
    "Builds and checks the npm packages, the wheel and the sdist of a version, and writes their components, licences and provenance. Changes no source file without --write. Signs and uploads nothing.",
  texts: {
    version: {
      value: versionOf(ROOT),
      fault: (text) => versionFault(text, versionOf(ROOT)),
      help: "the version to release",
    },
    out: { value: "dist/release", help: "the output folder, whose old release is deleted" },
  },
  switches: { write: "also writes the version and the changelog's heading into the sources, for you to commit" },
});

/** Copies the sources: all files that git tracks, and new files that git does not ignore. */
function stage(): void {
  rmSync(STAGE, { recursive: true, force: true });
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
  for (const path of paths) {
    if (path === "" || !existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(STAGE, path)), { recursive: true });
    cpSync(join(ROOT, path), join(STAGE, path), { verbatimSymlinks: true });
  }
  for (const path of PACKAGES) symlinkSync(join(ROOT, path), join(STAGE, path));
}

/** Writes the version and the changelog's heading below `root`. @returns the changed files */
function state(root: string): string[] {
  const changelog = join(root, "CHANGELOG.md");
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, released(readFileSync(changelog, "utf8"), version, date));
  return ["CHANGELOG.md", ...setVersion(root, version)];
}

/** Empties the folder. @throws Error if the folder contains something other than a release */
function emptied(folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, "SHA256SUMS")))
    throw new Error(`--out ${folder} contains files that are not from a release; choose another folder`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

try {
  const folder = emptied(resolve(ROOT, out));
  await installBeside("test");
  stage();
  const changed = state(STAGE);
  const folders = { root: ROOT, sources: STAGE, out: folder };
  describe(folders, version, build(folders, version));
  if (write) state(ROOT);
  console.log(`\n${version} is in ${out}; nothing was signed or uploaded`);
  console.log(`${write ? "changed" : "--write would change"}: ${changed.join(", ")}`);
} catch (fault) {
  const { stdout, stderr, message } = fault as Error & { stdout?: string; stderr?: string };
  console.error(`kritai: the release failed: ${message}\n${stdout ?? ""}${stderr ?? ""}`.trimEnd());
  process.exitCode = 1;
} finally {
  rmSync(STAGE, { recursive: true, force: true });
}
