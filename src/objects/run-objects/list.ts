// The list of Durable Objects that contain data of one run. Deleting the run needs the list, because the
// objects' names are digests.

import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Values } from "../storage/values.ts";

export const OBJECT_KINDS = ["rooms", "replies", "batches"] as const;

/** A reference to a Durable Object. */
export interface RunObject {
  kind: (typeof OBJECT_KINDS)[number];
  name: string;
}

/** An object on the list, with the name of its entry. */
export interface ListedObject extends RunObject {
  entry: string;
}

/** Time in ms after which an object has deleted its data by itself, counted from when it was listed. */
const FORGOTTEN_MS: Record<RunObject["kind"], number> = {
  rooms: LIMITS.room_listed_ms,
  replies: LIMITS.idempotency_kept_ms,
  batches: LIMITS.batch_deadline_ms_max + LIMITS.batch_kept_ms + LIMITS.batch_alarm_ms,
};

const ENTRY = "run.object.";
const ALARM = "run.alarm";
const DELETED = "run.deleted";

/** The name of an object's entry. Entries sort by expiry time. */
const entryOf = ({ kind, name }: RunObject, over: number) => `${ENTRY}${`${over}`.padStart(15, "0")}.${kind}.${name}`;
const overAt = (entry: string) => Number(entry.slice(ENTRY.length, ENTRY.length + 15));

export class RunObjectList {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** Whether this Durable Object contains no list, i.e. is used for another purpose. */
  get isNone(): boolean {
    return this.#values.get(ALARM) === undefined;
  }

  /**
   * Adds an object to the list.
   * @returns whether the run was deleted after the request `requestId` arrived
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
   * Marks the run as deleted for requests with ids below `before`.
   * @returns up to `limit` objects whose data must be deleted
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

  /** Handles the alarm: drops expired entries, and the whole list once it is empty. */
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

/** Name of the Durable Object that contains a run's list. Cannot collide with a digest. */
export const runListName = ({ run_id, owner }: RunKey): string => `run:${JSON.stringify([owner, run_id])}`;
