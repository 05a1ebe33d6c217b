// The list of one key's batches: their ids by time. What becomes of each, its own object knows.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Values } from "../storage/values.ts";

const ID = "batch.";

/** After so long every batch has ended and been forgotten. */
const FORGOTTEN_MS = LIMITS.batch_deadline_ms_max + LIMITS.batch_kept_ms + LIMITS.batch_alarm_ms;

/** Ids of a page, newest first, and whether there are older ones. */
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
   * Notes a batch that is being submitted; again is harmless. What is forgotten by now, and the
   * oldest beyond batches_listed_max, leave the list.
   */
  note(id: string, now: number): void {
    this.#values.set(`${ID}${id}`, now);
    const all = [...this.#values.list<number>(ID)];
    for (const [i, [name, at]] of all.entries()) {
      if (at > now - FORGOTTEN_MS && i >= all.length - LIMITS.batches_listed_max) break;
      this.#values.delete(name);
    }
  }

  /** Ids below `before` (null: all), at most `limit`. */
  page(before: string | null, limit: number): BatchIds {
    const ids = Array.from(this.#values.list<number>(ID), ([name]) => name.slice(ID.length));
    const older = ids.filter((id) => before === null || id < before).reverse();
    return { ids: older.slice(0, limit), more: older.length > limit };
  }
}

/** The object's name; no batch's id can be so. */
export const listName = (keyName: string | null): string => `of:${keyName ?? ""}`;
