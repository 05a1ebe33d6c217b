// Owns the local queues' messages on disk: a SQLite file that outlives a kill. Knows no Worker and
// no HTTP.
import { randomUUID } from "node:crypto";
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
  /** On disk when it returns. */
  add(queue: string, bodies: readonly string[], now: number): void;
  /**
   * Messages that may be delivered now, the longest waiting first. A message stays until it is
   * removed.
   */
  due(queue: string, now: number, limit: number): StoredMessage[];
  /** When the next message may be delivered, and how many there are; null without any. */
  next(queue: string): { visible_at: number; messages: number } | null;
  /** One transaction of what became of a batch. */
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

/** Opens or makes the file at `path`, in which no byte stays of a message that was removed. */
export function openQueueStore(path: string): QueueStore {
  const db = new DatabaseSync(path);
  db.exec(SCHEMA);
  const add = db.prepare("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 0)");
  const due = db.prepare(
    "SELECT id, body, sent_at, attempts FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, seq LIMIT ?",
  );
  const next = db.prepare("SELECT min(visible_at) AS visible_at, count(*) AS messages FROM messages WHERE queue = ?");
  const remove = db.prepare("DELETE FROM messages WHERE id = ?");
  const retry = db.prepare("UPDATE messages SET visible_at = ?, attempts = attempts + 1 WHERE id = ?");
  const move = db.prepare("UPDATE messages SET queue = ?, visible_at = 0, attempts = 0 WHERE id = ?");
  const atomically = (work: () => void) => {
    db.exec("BEGIN IMMEDIATE");
    try {
      work();
      db.exec("COMMIT");
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  };
  return {
    add: (queue, bodies, now) =>
      atomically(() => {
        for (const body of bodies) add.run(randomUUID(), queue, body, now, now);
      }),
    due: (queue, now, limit) => due.all(queue, now, limit) as unknown as StoredMessage[],
    next(queue) {
      const { visible_at, messages } = next.get(queue) as { visible_at: number | null; messages: number };
      return visible_at === null ? null : { visible_at, messages };
    },
    settle: ({ acked, retried, moved }) =>
      atomically(() => {
        for (const id of acked) remove.run(id);
        for (const { id, visible_at } of retried) retry.run(visible_at, id);
        for (const { id, queue } of moved) move.run(queue, id);
      }),
    close: () => db.close(),
  };
}
