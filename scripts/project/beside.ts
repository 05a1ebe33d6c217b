// The packages beside the product that `npm ci` leaves out: each is installed by the first command that needs
// it, and again where its lockfile has changed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { ROOT, runToEnd } from "./child.ts";

/** By folder, what its packages are for. */
export const BESIDE = {
  lab: "the laboratory",
  test: "types, lint, migrations, releases and the longer tests",
} as const;

export type Beside = keyof typeof BESIDE;

/** Beside the packages: the digest of the lockfile that they were installed from. */
const MARK = "node_modules/.kritai-lockfile";

/**
 * Installs what is not there yet, and says so on stderr. Ends the process with 1 where that fails.
 */
export async function installBeside(...folders: readonly Beside[]): Promise<void> {
  for (const folder of folders) {
    const path = `${ROOT}${folder}/`;
    const wanted = createHash("sha256")
      .update(readFileSync(`${path}package-lock.json`))
      .digest("hex");
    const mark = `${path}${MARK}`;
    if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) continue;
    console.error(`kritai: installing ${folder}/, which ${BESIDE[folder]} need${folder === "test" ? "" : "s"} ..`);
    if ((await npmCi(path)) !== 0) {
      console.error(`kritai: ${folder}/ could not be installed; \`npm ci\` in that folder says why`);
      process.exit(1);
    }
    writeFileSync(mark, wanted);
  }
}

/** The npm that runs this, or the one of the machine. */
function npmCi(cwd: string): Promise<number> {
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  return npm === undefined
    ? runToEnd("npm", flags, { cwd, outputToStderr: true })
    : runToEnd(process.execPath, [npm, ...flags], { cwd, outputToStderr: true });
}
