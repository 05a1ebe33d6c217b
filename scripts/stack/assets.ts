// Guarantees that `public/` holds what the sources give before anyone is served from it.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isBuiltFrom, PUBLIC, sourcesDigest } from "../build/public/folder.ts";

const BUILD = new URL("../build/public/main.ts", import.meta.url).pathname;
const NODE_VERSION = new URL("node-version.js", import.meta.url).href;

/**
 * Builds the static assets if they are missing or older than their sources, in a separate process
 * that has loaded nothing before. @throws Error that names the command that failed
 */
export async function buildAssets(): Promise<void> {
  if (isBuiltFrom(sourcesDigest(PUBLIC), PUBLIC)) return;
  try {
    await promisify(execFile)(process.execPath, ["--import", NODE_VERSION, BUILD]);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new Error(`public/ could not be built by scripts/build/public/main.ts:\n${said}`);
  }
}
