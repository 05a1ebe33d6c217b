// The rule that one process at a time uses a directory.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another live process holds the directory. */
export class DataDirInUse extends Error {
  /** As the holder wrote it: another container numbers its processes by itself. */
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(`DATA_DIR ${resolve(dataDir)} is in use by process ${pid}. Stop that process or choose another DATA_DIR.`);
    this.name = "DataDirInUse";
    this.pid = pid;
  }
}

/** A holder that was killed may still be coming to its end. */
const ENDING_MS = 1_000;
const SQLITE_BUSY = 5;

/**
 * Takes the directory for this process and returns how to give it back. The lock is SQLite's on a separate
 * file, which the system drops when the process ends, however it does: a process id alone does not
 * distinguish a container's first process from its predecessor. `lock` names its holder for people.
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
