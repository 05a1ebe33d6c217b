// Stores the local queues' messages in a SQLite file, which survives a kill.
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface StoredMessage {
  id: string;
  body: string;
  /** When it was sent, ms. */
  sent_at: number;
  /** Deliveries before this one. */
  attempts: number;
}

export interface QueueStore {
  /** Messages are on disk when this returns. */
  add(queue: string, bodies: readonly string[], now: number): void;
  /**
   * Messages that may be delivered now, the longest waiting first. They stay in the queue until `settle`.
   */
  due(queue: string, now: number, limit: number): StoredMessage[];
  /** When the next message may be delivered, and the number of messages; null if the queue is empty. */
  next(queue: string): { visible_at: number; messages: number } | null;
  /** Makes the queue's delayed messages due. */
  wake(queue: string, now: number): void;
  /**
   * Removes, delays and moves messages of a batch in one transaction, or one per message if the disk is full.
   */
  settle(outcome: {
    acked: readonly string[];
    retried: readonly { id: string; visible_at: number }[];
    moved: readonly { id: string; queue: string }[];
  }): void;
  close(): void;
}

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS messages (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL, body TEXT NOT NULL,
  sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL, attempts INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS messages_due ON messages (queue, visible_at, seq);`;

/** Size of a file that is deleted when the disk is full, because SQLite needs space even to delete rows. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/** SQLite's error codes for a full disk: SQLITE_FULL, and SQLITE_IOERR while writing. */
const NO_ROOM = new Set([10, 13]);
export const hasNoRoom = (error: unknown): boolean => NO_ROOM.has((error as { errcode?: number }).errcode ?? 0);

/** Writes the reserve file, unless it exists. False: the disk has no space for it. */
function reserve(path: string): boolean {
  if (existsSync(path)) return true;
  try {
    writeFileSync(path, randomBytes(RESERVE_BYTES), { flush: true });
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}

/** Opens the file and creates its tables. On a full disk even this may need the reserve. */
function opened(path: string, reserved: string): DatabaseSync {
  const open = () => {
    const db = new DatabaseSync(path);
    try {
      db.exec(SCHEMA);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    if (!existsSync(reserved)) throw error;
    rmSync(reserved);
    return open();
  }
}

/** Writes with and without free disk space. */
function writing(db: DatabaseSync, reserved: string) {
  const atomically = (work: () => unknown) => {
    db.exec("BEGIN IMMEDIATE");
    try {
      work();
      db.exec("COMMIT");
    } catch (error) {
      // A failed write may have ended the transaction; the write's error is thrown, not a rollback's.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  };
  const flush = () => db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  /** Commits and checkpoints each step separately, which needs the least disk space. */
  const withoutRoom = (steps: readonly (() => unknown)[]) => {
    rmSync(reserved, { force: true });
    flush();
    for (const step of steps) {
      atomically(step);
      flush();
    }
    reserve(reserved);
  };
  return { atomically, flush, withoutRoom };
}

/**
 * Opens or creates the file at `path`. Removed messages leave no bytes in it. `PATH.reserve` reserves disk
 * space, without which messages could not be removed on a full disk.
 */
export function openQueueStore(path: string): QueueStore {
  const reserved = `${path}.reserve`;
  const db = opened(path, reserved);
  reserve(reserved);
  const add = db.prepare("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 0)");
  const due = db.prepare(
    "SELECT id, body, sent_at, attempts FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, seq LIMIT ?",
  );
  const next = db.prepare("SELECT min(visible_at) AS visible_at, count(*) AS messages FROM messages WHERE queue = ?");
  const remove = db.prepare("DELETE FROM messages WHERE id = ?");
  const retry = db.prepare("UPDATE messages SET visible_at = ?, attempts = attempts + 1 WHERE id = ?");
  const wake = db.prepare("UPDATE messages SET visible_at = ? WHERE queue = ? AND visible_at > ?");
  const move = db.prepare("UPDATE messages SET queue = ?, visible_at = 0, attempts = 0 WHERE id = ?");
  const { atomically, flush, withoutRoom } = writing(db, reserved);
  return {
    add(queue, bodies, now) {
      const insert = () => {
        for (const body of bodies) add.run(randomUUID(), queue, body, now, now);
      };
      try {
        atomically(insert);
      } catch (error) {
        if (!hasNoRoom(error)) throw error;
        // Removed messages have left space in the file, but not in its write-ahead log.
        flush();
        atomically(insert);
      }
    },
    due: (queue, now, limit) => due.all(queue, now, limit) as unknown as StoredMessage[],
    next(queue) {
      const { visible_at, messages } = next.get(queue) as { visible_at: number | null; messages: number };
      return visible_at === null ? null : { visible_at, messages };
    },
    wake(queue, now) {
      wake.run(now, queue, now);
    },
    settle({ acked, retried, moved }) {
      const steps = [
        ...acked.map((id) => () => remove.run(id)),
        ...retried.map(
          ({ id, visible_at }) =>
            () =>
              retry.run(visible_at, id),
        ),
        ...moved.map(
          ({ id, queue }) =>
            () =>
              move.run(queue, id),
        ),
      ];
      try {
        atomically(() => {
          for (const step of steps) step();
        });
      } catch (error) {
        if (!hasNoRoom(error)) throw error;
        withoutRoom(steps);
      }
    },
    close: () => db.close(),
  };
}
