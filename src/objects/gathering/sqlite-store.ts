// Owns a room's storage in its Durable Object's SQLite: tables, statements, and how values fit a
// row. Knows no decision.

import { LIMITS } from "../../core/faults/limits.ts";
import type { GroupState } from "./group-state.ts";
import type { JournalRow, MemberContent, RoomStore, RoomSubject } from "./room-store.ts";

const TABLES = `
CREATE TABLE IF NOT EXISTS subject_pieces ("from" INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS groups (epoch INTEGER PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS members (epoch INTEGER, member INTEGER, text BLOB NOT NULL, rest TEXT NOT NULL, answer TEXT,
  PRIMARY KEY (epoch, member)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (epoch INTEGER, key TEXT, value TEXT NOT NULL,
  PRIMARY KEY (epoch, key)) WITHOUT ROWID;`;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Arguments of one call. */
const UNITS_AT_ONCE = 8_192;

/**
 * As bytes, for JSON would make up to six of one, and a row holds 2 MB: UTF-8, or UTF-16 for a text
 * with half a surrogate pair, which UTF-8 has no bytes for.
 */
function encodeText(text: string): { bytes: ArrayBuffer; utf16: boolean } {
  if (text.isWellFormed()) return { bytes: encoder.encode(text).buffer as ArrayBuffer, utf16: false };
  const units = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return { bytes: units.buffer, utf16: true };
}

function decodeText(bytes: ArrayBuffer, utf16: boolean): string {
  if (!utf16) return decoder.decode(bytes);
  const units = new Uint16Array(bytes);
  const parts: string[] = [];
  for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
    parts.push(String.fromCharCode(...units.subarray(at, at + UNITS_AT_ONCE)));
  }
  return parts.join("");
}

/**
 * The tables come with the first flush: until then there is nothing to read. The alarm is part of
 * what is stored.
 */
export function createSqliteStore(storage: DurableObjectStorage): RoomStore {
  const run = (query: string, ...values: SqlStorageValue[]) => storage.sql.exec(query, ...values).toArray();
  let exists = run("SELECT 1 FROM sqlite_master WHERE name = 'subject_pieces'").length > 0;
  const rows = (query: string, ...values: SqlStorageValue[]) => (exists ? run(query, ...values) : []);
  const writes: (() => void)[] = [];
  const write = (query: string, ...values: SqlStorageValue[]) => void writes.push(() => run(query, ...values));
  const unsaved = { groups: new Map<number, GroupState>(), members: new Map<string, MemberContent>() };
  const journal = journalTable(run, rows, write);
  const alarm = lazyAlarm(storage);
  let subject = storedSubject(rows);
  const store: RoomStore = {
    groups: () => rows("SELECT state FROM groups ORDER BY epoch").map(({ state }) => JSON.parse(state as string)),
    saveGroup: (group) => void unsaved.groups.set(group.epoch, group),
    subject: () => subject,
    saveSubject: (given) => {
      subject = given;
      writeSubject(write, given);
    },
    members: (epoch, count) => {
      const query = "SELECT member, text, rest FROM members WHERE epoch = ? AND member < ?";
      const stored = new Map(rows(query, epoch, count).map((row) => [row.member as number, contentOf(row)]));
      return Array.from(
        { length: count },
        (_, i) => unsaved.members.get(`${epoch} ${i}`) ?? stored.get(i),
      ) as MemberContent[];
    },
    addMember: (epoch, member, content) => {
      unsaved.members.set(`${epoch} ${member}`, content);
      const {
        rollout: { text, ...rollout },
        ...others
      } = content;
      const { bytes, utf16 } = encodeText(text);
      const rest = JSON.stringify({ rollout, ...others, utf16 });
      write("INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, NULL)", epoch, member, bytes, rest);
    },
    answer: (epoch, member) => {
      store.flush();
      return parsed(rows("SELECT answer FROM members WHERE epoch = ? AND member = ?", epoch, member)[0]?.answer);
    },
    saveAnswer: (epoch, member, answer) =>
      write("UPDATE members SET answer = ? WHERE epoch = ? AND member = ?", JSON.stringify(answer), epoch, member),
    journal: journal.read,
    addToJournal: journal.add,
    dropJournal: journal.drop,
    forget: (epoch) => {
      unsaved.groups.delete(epoch);
      journal.drop(epoch);
      for (const table of ["groups", "members"]) write(`DELETE FROM ${table} WHERE epoch = ?`, epoch);
    },
    wakeAt: alarm.wakeAt,
    flush: () => {
      if (!exists && writes.length + unsaved.groups.size + journal.unsaved() > 0) {
        run(TABLES);
        exists = true;
      }
      // First, for among them is the forgetting of groups, and a group that came after it may have
      // the same epoch.
      for (const each of writes.splice(0)) each();
      for (const [epoch, group] of unsaved.groups) {
        run("INSERT OR REPLACE INTO groups VALUES (?, ?)", epoch, JSON.stringify(group));
      }
      unsaved.groups.clear();
      journal.flush();
      unsaved.members.clear();
      alarm.flush();
    },
  };
  return store;
}

const parsed = <T>(value: SqlStorageValue | undefined): T | null =>
  value == null ? null : (JSON.parse(value as string) as T);

function contentOf({ text, rest }: Record<string, SqlStorageValue>): MemberContent {
  const { rollout, utf16, ...others } = JSON.parse(rest as string) as MemberContent & { utf16: boolean };
  return { rollout: { ...rollout, text: decodeText(text as ArrayBuffer, utf16) }, ...others };
}

/** In pieces, for a chat as prompt may be longer than a row. */
function writeSubject(write: Query<void>, subject: RoomSubject): void {
  const bytes = encoder.encode(JSON.stringify(subject));
  for (let from = 0; from < bytes.byteLength; from += LIMITS.object_row_bytes) {
    const { buffer } = bytes.slice(from, from + LIMITS.object_row_bytes);
    write("INSERT OR REPLACE INTO subject_pieces VALUES (?, ?)", from, buffer as ArrayBuffer);
  }
}

function storedSubject(rows: Query<Rows>): RoomSubject | null {
  const pieces = rows('SELECT bytes FROM subject_pieces ORDER BY "from"');
  const characters = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return parsed(pieces.map(({ bytes }) => characters.decode(bytes as ArrayBuffer, { stream: true })).join("") || null);
}

type Query<T> = (query: string, ...values: SqlStorageValue[]) => T;
type Rows = Record<string, SqlStorageValue>[];

/**
 * Verdicts come one by one and most are never read again, so they stay in memory until there is
 * something to store.
 */
function journalTable(run: Query<Rows>, rows: Query<Rows>, write: Query<void>) {
  const unsaved = new Map<number, [key: string, row: JournalRow][]>();
  return {
    read: (epoch: number) => {
      const stored = rows("SELECT key, value FROM journal WHERE epoch = ?", epoch);
      return new Map(stored.map(({ key, value }) => [key as string, JSON.parse(value as string) as JournalRow]));
    },
    add(epoch: number, key: string, row: JournalRow) {
      const others = unsaved.get(epoch) ?? [];
      unsaved.set(epoch, others);
      others.push([key, row]);
    },
    drop(epoch: number) {
      unsaved.delete(epoch);
      write("DELETE FROM journal WHERE epoch = ?", epoch);
    },
    unsaved: () => unsaved.size,
    flush() {
      for (const [epoch, added] of unsaved) {
        for (const [key, row] of added) {
          run("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)", epoch, key, JSON.stringify(row));
        }
      }
      unsaved.clear();
    },
  };
}

/**
 * An alarm that rings too early costs less than one set anew at every arrival: the room only looks,
 * and sets the next.
 */
function lazyAlarm(storage: DurableObjectStorage) {
  let rings = Number.POSITIVE_INFINITY;
  let wanted = Number.POSITIVE_INFINITY;
  return {
    wakeAt(at: number | null) {
      wanted = at ?? Number.POSITIVE_INFINITY;
    },
    flush() {
      // One that has rung is none.
      if (rings <= Date.now()) rings = Number.POSITIVE_INFINITY;
      if (wanted >= rings) return;
      rings = wanted;
      void storage.setAlarm(wanted);
    },
  };
}
