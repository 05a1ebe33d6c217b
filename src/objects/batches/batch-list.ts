// The list of one key's batches: their ids in order of time. The state of a batch is in the batch's Durable
// Object.
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
   * Adds a batch to the list; idempotent. Removes ids of batches that have expired, and the oldest ids beyond
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

  /** A page of at most `limit` ids below `before` (null: from the newest). */
  page(before: string | null, limit: number): BatchIds {
    const ids = Array.from(this.#values.list<number>(ID), ([name]) => name.slice(ID.length));
    const older = ids.filter((id) => before === null || id < before).reverse();
    return { ids: older.slice(0, limit), more: older.length > limit };
  }
}

/** The Durable Object's name. Batch ids never contain a colon, so the name cannot collide with a batch. */
export const listName = (keyName: string | null): string => `of:${keyName ?? ""}`;
