// The list of one key's batch ids, in order of submission. The state of each batch is in the batch's own
// Durable Object.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Values } from "../storage/values.ts";

const ID = "batch.";

/** Age in ms after which every batch has ended and been deleted. */
const FORGOTTEN_MS = LIMITS.batch_deadline_ms_max + LIMITS.batch_kept_ms + LIMITS.batch_alarm_ms;

/** A page of batch ids, newest first, and whether older ids exist. */
export interface BatchIds {
  ids: string[];
  more: boolean;
}

export class BatchList {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /**
   * Adds a batch to the list; idempotent. Removes the ids of expired batches, and the oldest ids beyond
   * batches_listed_max.
   */
  note(id: string, now: number): void {
    this.#values.set(`${ID}${id}`, now);
    const all = [...this.#values.list<number>(ID)];
    for (const [i, [name, at]] of all.entries()) {
      if (at > now - FORGOTTEN_MS && i >= all.length - LIMITS.batches_listed_max) break;
      this.#values.delete(name);
    }
  }

  /** A page of at most `limit` ids below `before`, newest first; null: starts with the newest. */
  page(before: string | null, limit: number): BatchIds {
    const ids = Array.from(this.#values.list<number>(ID), ([name]) => name.slice(ID.length));
    const older = ids.filter((id) => before === null || id < before).reverse();
    return { ids: older.slice(0, limit), more: older.length > limit };
  }
}

/** The name of the list's Durable Object. It cannot collide with a batch id, which contains no colon. */
export const listName = (keyName: string | null): string => `of:${keyName ?? ""}`;
