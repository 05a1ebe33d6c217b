// A lock that lets only one process at a time use a directory.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another live process holds the directory. */
export class DataDirInUse extends Error {
  /** The holder's process id, as the holder sees it; another container has separate ids. */
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(`DATA_DIR ${resolve(dataDir)} is in use by process ${pid}. Stop that process or choose another DATA_DIR.`);
    this.name = "DataDirInUse";
    this.pid = pid;
  }
}

/** A process that was killed may take a moment to release the lock. */
const ENDING_MS = 1_000;
const SQLITE_BUSY = 5;

/**
 * Locks the directory for this process and returns the function that unlocks it. The lock is SQLite's lock on
 * a separate file, which the system releases however the process ends. A process id would not do: a
 * container's first process has the same id after a restart. The file `lock` names the holder for people.
 * @throws DataDirInUse
 */
export function lockDirectory(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const note = join(dataDir, "lock");
  const held = new DatabaseSync(join(dataDir, ".lock"), { timeout: ENDING_MS });
  try {
    held.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DataDirInUse(dataDir, Number(readFileSync(note, "utf8")));
  }
  writeFileSync(note, `${process.pid}\n`);
  return () => {
    rmSync(note, { force: true });
    held.close();
  };
}
