// Owns which workerd miniflare starts: where the system can, one that does not outlive this process. Knows no Worker.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

/** The package is CommonJS without types; its default export is the binary's path. */
export const workerd = createRequire(import.meta.url)("workerd") as { default: string; version: string };

const WITH_PARENT = new URL("workerd-with-parent.sh", import.meta.url).pathname;

/** To be called before miniflare starts; a workerd that was named already is left alone. */
export function tieWorkerdToProcess(): void {
  const { env } = process;
  if (process.platform !== "linux" || env.MINIFLARE_WORKERD_PATH !== undefined) return;
  if (spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status !== 0) return;
  env.KRITAI_WORKERD = workerd.default;
  env.MINIFLARE_WORKERD_PATH = WITH_PARENT;
}
