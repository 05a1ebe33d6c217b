// One run's list of the objects that hold something of it, so that a deletion finds them: their names are
// digests.

import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Values } from "../storage/values.ts";

export const OBJECT_KINDS = ["rooms", "replies", "batches"] as const;

/** An object by what it is and its name. */
export interface RunObject {
  kind: (typeof OBJECT_KINDS)[number];
  name: string;
}

/** An object's entry on the list. */
export interface ListedObject extends RunObject {
  entry: string;
}

/** So long each forgets by itself what it holds, counted from when it is noted. */
const FORGOTTEN_MS: Record<RunObject["kind"], number> = {
  rooms: LIMITS.room_listed_ms,
  replies: LIMITS.idempotency_kept_ms,
  batches: LIMITS.batch_deadline_ms_max + LIMITS.batch_kept_ms + LIMITS.batch_alarm_ms,
};

const ENTRY = "run.object.";
const ALARM = "run.alarm";
const DELETED = "run.deleted";

/** Entries sort by when they are over. */
const entryOf = ({ kind, name }: RunObject, over: number) => `${ENTRY}${`${over}`.padStart(15, "0")}.${kind}.${name}`;
const overAt = (entry: string) => Number(entry.slice(ENTRY.length, ENTRY.length + 15));

export class RunObjectList {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** For an object that is something else. */
  get isNone(): boolean {
    return this.#values.get(ALARM) === undefined;
  }

  /**
   * Notes an object. @returns whether the run was deleted since the request came by which it holds
   * something
   */
  note(object: RunObject, requestId: string, now: number): boolean {
    this.#dropOver(now);
    const over = now + FORGOTTEN_MS[object.kind];
    this.#values.set(entryOf(object, over), 0);
    if (this.isNone) this.#wakeAt(over);
    return this.#isDeletedSince(requestId);
  }

  #isDeletedSince(requestId: string): boolean {
    return requestId < (this.#values.get<string>(DELETED) ?? "");
  }

  /**
   * Marks the run as deleted, for requests below `before`; @returns objects to be emptied, at most
   * `limit`
   */
  markDeleted(before: string, limit: number, now: number): ListedObject[] {
    this.#dropOver(now);
    this.#values.set(DELETED, before);
    if (this.isNone) this.#wakeAt(now + FORGOTTEN_MS.batches);
    const found: ListedObject[] = [];
    for (const [entry] of this.#values.list(ENTRY)) {
      if (found.length >= limit) break;
      const [, kind, ...name] = entry.slice(ENTRY.length).split(".");
      found.push({ entry, kind: kind as RunObject["kind"], name: name.join(".") });
    }
    return found;
  }

  emptied(entries: readonly string[]): void {
    for (const entry of entries) this.#values.delete(entry);
  }

  /** The alarm: drops what is over, and in the end itself. */
  async wake(now: number): Promise<void> {
    this.#dropOver(now);
    const last = [...this.#values.list(ENTRY)].at(-1)?.[0];
    const over = last === undefined ? 0 : overAt(last);
    if (over === 0) return this.#values.clear();
    this.#wakeAt(over);
  }

  #dropOver(now: number): void {
    const over: string[] = [];
    for (const [entry] of this.#values.list(ENTRY)) {
      if (overAt(entry) > now) break;
      over.push(entry);
    }
    this.emptied(over);
  }

  #wakeAt(at: number): void {
    this.#values.set(ALARM, at);
    this.#values.wakeAt(at);
  }
}

/** The list's name among objects; no digest can be so. */
export const runListName = ({ run_id, owner }: RunKey): string => `run:${JSON.stringify([owner, run_id])}`;
