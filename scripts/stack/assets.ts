// Guarantees that `public/` matches its sources before it is served.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isBuiltFrom, PUBLIC, sourcesDigest } from "../build/public/folder.ts";

const BUILD = new URL("../build/public/main.ts", import.meta.url).pathname;
const NODE_VERSION = new URL("node-version.js", import.meta.url).href;

/**
 * Builds the static assets if they are missing or older than their sources, in a new process.
 * @throws Error that names the failed command
 */
export async function buildAssets(): Promise<void> {
  if (isBuiltFrom(sourcesDigest(PUBLIC), PUBLIC)) return;
  try {
    await promisify(execFile)(process.execPath, ["--import", NODE_VERSION, BUILD]);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new Error(`scripts/build/public/main.ts could not build public/:\n${said}`);
  }
}
