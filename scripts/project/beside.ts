// Installs the packages of lab/ and test/, which `npm ci` leaves out, when a command first needs them and
// after their lockfile has changed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { ROOT, runToEnd } from "./child.ts";

/** Users of the packages, by folder. */
export const BESIDE = {
  lab: "lab commands",
  test: "type checks, lint, migrations, releases and longer tests",
} as const;

export type Beside = keyof typeof BESIDE;

/** The digest of the lockfile from which the packages were installed. */
const MARK = "node_modules/.kritai-lockfile";

/**
 * Installs missing or outdated packages and reports it on stderr. Exits with 1 if npm fails.
 */
export async function installBeside(...folders: readonly Beside[]): Promise<void> {
  for (const folder of folders) {
    const path = `${ROOT}${folder}/`;
    const wanted = createHash("sha256")
      .update(readFileSync(`${path}package-lock.json`))
      .digest("hex");
    const mark = `${path}${MARK}`;
    if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) continue;
    console.error(`kritai: installing the packages in ${folder}/ for ${BESIDE[folder]} ..`);
    if ((await npmCi(path)) !== 0) {
      console.error(`kritai: could not install the packages in ${folder}/; run \`npm ci\` there to see why`);
      process.exit(1);
    }
    writeFileSync(mark, wanted);
  }
}

/** Runs `npm ci` with the npm that started this process, or else the one on PATH. */
function npmCi(cwd: string): Promise<number> {
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  return npm === undefined
    ? runToEnd("npm", flags, { cwd, outputToStderr: true })
    : runToEnd(process.execPath, [npm, ...flags], { cwd, outputToStderr: true });
}
