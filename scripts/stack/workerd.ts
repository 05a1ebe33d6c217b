// Owns the workerd process that miniflare starts: where the system can, one that does not outlive
// this process, and that ends its requests before it ends. Knows no Worker.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

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

const LOOK_MS = 10;

/**
 * Has the workerd that listens on the port take no more requests and answer those under way;
 * miniflare would kill it. Resolves when it has ended, at the latest after `ms`, and at once where
 * the system does not tell which process it is (Linux does).
 */
export async function drainWorkerd(port: number, ms: number): Promise<void> {
  const pid = process.platform === "linux" ? childListeningOn(port) : null;
  if (pid === null) return;
  const until = performance.now() + ms;
  process.kill(pid, "SIGTERM");
  while (isAlive(pid) && performance.now() < until) await sleep(LOOK_MS);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** State of a listening socket in /proc/net/tcp. */
const LISTENING = "0A";

function childListeningOn(port: number): number | null {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = ["tcp", "tcp6"].flatMap((family) => {
    const rows = readFileSync(`/proc/self/net/${family}`, "utf8").split("\n").slice(1);
    return rows.flatMap((row) => {
      const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
      return state === LISTENING && local.endsWith(`:${wanted}`) ? [`socket:[${inode}]`] : [];
    });
  });
  const threads = readdirSync("/proc/self/task");
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return Number(children.find((child) => filesOf(child).some((file) => sockets.includes(file)))) || null;
}

/** What the process has open; nothing of one that has just ended. */
function filesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}
