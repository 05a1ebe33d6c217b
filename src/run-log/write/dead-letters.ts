// Stores dead letters in a Durable Object's SQLite, independent of Postgres, counts them, and replays them to
// the queue.

import type { DeadLetter, DeadLetterStore } from "../../core/contract/dead-letter.ts";
import { type Owner, ownerName, type Whose } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { QueueBinding, Timers } from "../../ports/ports.ts";
import { sendAll } from "./log-queue.ts";

const TABLE = `
CREATE TABLE IF NOT EXISTS letters (
  id TEXT PRIMARY KEY, reason TEXT NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL, puts INTEGER NOT NULL, body TEXT NOT NULL, owner TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS letters_oldest ON letters (last_at);
CREATE TABLE IF NOT EXISTS deleted_runs (run TEXT, owner TEXT, key_name TEXT, before TEXT NOT NULL, PRIMARY KEY (run, owner));`;

/** Adds a condition on the owner (null: all owners) to `condition`. Returns the SQL and its values. */
function owned(
  ownerFilter: Owner | Whose | null,
  condition = "true",
  ...values: number[]
): [string, ...(string | number)[]] {
  if (ownerFilter === null) return [condition, ...values];
  if (typeof ownerFilter === "string") return owned({ owner: ownerFilter }, condition, ...values);
  if ("owner" in ownerFilter) return [`${condition} AND owner = ?`, ...values, ownerFilter.owner];
  return [`${condition} AND owner NOT IN (SELECT value FROM json_each(?))`, ...values, JSON.stringify(ownerFilter.not)];
}

/** The part of a Durable Object's SQL storage used here. */
export interface LetterStorage {
  exec(query: string, ...values: (string | number)[]): { toArray(): Record<string, unknown>[] };
  readonly databaseSize: number;
}

/** A JSON member as written in a body, to find the owner even if the body cannot be parsed. */
const written = (name: string, value: string | null) => `"${name}":${JSON.stringify(value)}`;

interface DeletedRun {
  run: string;
  owner: Owner;
  key_name: string;
  before: string;
}

function isOf({ owner, body }: DeadLetter, deleted: DeletedRun): boolean {
  if (!body.includes(deleted.run) || (owner !== deleted.owner && !body.includes(deleted.key_name))) return false;
  const requestId = /"request_id":"([0-9A-Z]{26})"/.exec(body)?.[1];
  return requestId === undefined || requestId < deleted.before;
}

interface StoredLetter {
  id: string;
  puts: number;
  body: string;
}

/** Creates the store. Replayed letters go to `queue`. */
export function createDeadLetters(storage: LetterStorage, queue: QueueBinding, timers: Timers): DeadLetterStore {
  const run = (query: string, ...values: (string | number)[]) => storage.exec(query, ...values).toArray();
  run(TABLE);
  return {
    async store(letters) {
      if (letters.length === 0) return;
      // This error leaves the message in the queue, which has space for it.
      if (storage.databaseSize > LIMITS.dead_letters_bytes) throw new Error("dead_letters_bytes is reached");
      const deleted = run("SELECT run, owner, key_name, before FROM deleted_runs") as unknown as DeletedRun[];
      for (const letter of letters)
        if (!deleted.some((deletedRun) => isOf(letter, deletedRun))) keep(run, letter, timers.now());
    },
    async summary(owner) {
      const [where, ...values] = owned(owner);
      const [all] = run(
        `SELECT count(*) AS letters, coalesce(sum(length(body)), 0) AS bytes, min(first_at) AS first_at, max(last_at) AS last_at FROM letters WHERE ${where}`,
        ...values,
      );
      const byReason = `SELECT reason, count(*) AS letters FROM letters WHERE ${where} GROUP BY reason ORDER BY 2 DESC, 1`;
      const reasons = run(byReason, ...values);
      const instant = (value: unknown) => (value === null ? null : new Date(value as number).toISOString());
      return {
        letters: all?.letters as number,
        bytes: all?.bytes as number,
        first_at: instant(all?.first_at),
        last_at: instant(all?.last_at),
        reasons: reasons as { reason: string; letters: number }[],
      };
    },
    async replay(limit, before, owner) {
      const until = before === null ? timers.now() : Date.parse(before);
      const [where, ...values] = owned(owner, "last_at <= ?", until);
      const chosen = `SELECT id, puts, body FROM letters WHERE ${where} ORDER BY last_at, id LIMIT ?`;
      const letters = run(chosen, ...values, limit) as unknown as StoredLetter[];
      await sendAll(
        queue,
        timers,
        letters.map(({ body }) => body),
      );
      // A letter that has failed again since it was read has a higher `puts` and is kept.
      for (const { id, puts } of letters) run("DELETE FROM letters WHERE id = ? AND puts = ?", id, puts);
      const [left] = run(`SELECT count(*) AS letters FROM letters WHERE ${where}`, ...values);
      return {
        replayed: letters.length,
        remaining: left?.letters as number,
        before: new Date(until).toISOString(),
      };
    },
    async expire(before, ownerFilter) {
      const count = (condition: string, values: (string | number)[]) =>
        run(`SELECT count(*) AS letters FROM letters WHERE ${condition}`, ...values)[0]?.letters as number;
      const [old, ...values] = owned(ownerFilter, "first_at < ?", Date.parse(before));
      const deleted = count(old, values);
      run(`DELETE FROM letters WHERE ${old}`, ...values);
      const [all, ...owners] = owned(ownerFilter);
      return { deleted, remaining: count(all, owners) };
    },
    async forget({ run_id, owner }, before) {
      const params = [written("run_id", run_id), owner, written("key_name", ownerName(owner))] as const;
      const where = "instr(body, ?) > 0 AND (owner = ? OR instr(body, ?) > 0)";
      const [found] = run(`SELECT count(*) AS letters FROM letters WHERE ${where}`, ...params);
      run(`DELETE FROM letters WHERE ${where}`, ...params);
      run("INSERT OR REPLACE INTO deleted_runs VALUES (?, ?, ?, ?)", ...params, before);
      return found?.letters as number;
    },
  };
}

function keep(run: (query: string, ...values: (string | number)[]) => unknown, letter: DeadLetter, at: number): void {
  const { id, owner, reason, attempts, body } = letter;
  run(
    `INSERT INTO letters (id, reason, first_at, last_at, attempts, puts, body, owner) VALUES (?, ?, ?, ?, ?, 1, ?, ?) ON CONFLICT (id) DO UPDATE SET
     owner = excluded.owner, reason = excluded.reason, last_at = excluded.last_at, attempts = attempts + excluded.attempts, puts = puts + 1`,
    ...[id, reason, at, at, attempts, body, owner],
  );
}
