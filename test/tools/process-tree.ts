// The processes below one, and their end by force. Linux only, as the engine tests are.
import { readdirSync, readFileSync } from "node:fs";

/** All processes below one, by the kernel's lists of children; none once it has gone. */
export function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

/** Ends processes at once; those that have gone already are ignored. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== "ESRCH") throw fault;
    }
  }
}
