// Owns the rule that one process at a time uses a data directory: a lock file with the holder's
// process id. Knows no database.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Another live process holds the directory. */
export class DataDirInUse extends Error {
  readonly pid: number;

  constructor(dataDir: string, lock: string, pid: number) {
    super(
      `DATA_DIR ${resolve(dataDir)} is in use by process ${pid}. Stop that process or choose another DATA_DIR; ` +
        `if process ${pid} is something else, delete ${resolve(lock)}.`,
    );
    this.name = "DataDirInUse";
    this.pid = pid;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function holder(lock: string): number | null {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Takes the directory for this process and returns how to give it back. Throws DataDirInUse. A dead
 * process's lock is taken over.
 */
export function lockDirectory(dataDir: string): () => void {
  const lock = join(dataDir, "lock");
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, `${process.pid}\n`, { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const pid = holder(lock);
      if (pid !== null) throw new DataDirInUse(dataDir, lock, pid);
      rmSync(lock, { force: true });
    }
  }
  throw new Error(`DATA_DIR ${resolve(dataDir)} is being taken by another process at this moment`);
}
