// A batch's memory of what the verifier has answered, in storage, and the count of it.

import type { Reading } from "../../core/asking/readings.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { Values } from "../storage/values.ts";

const PREFIX = "judged:";

/**
 * Each comparison under its content's key. Writes gather for batch_journal_flush_ms: a commit holds
 * back what leaves the object.
 */
export class BatchJournal implements ReadingJournal {
  readonly #values: Values;
  readonly #mayKnow: boolean;
  #unsaved = new Map<string, readonly Reading[]>();
  /** Kept only once all is scored: until then a later life of the object asks for them again. */
  readonly #failed = new Map<string, readonly Reading[]>();
  #cancel: (() => void) | null = null;
  /** Comparisons that scoring has asked for, and those whose readings are all in. */
  total = 0;
  done = 0;

  /** `mayKnow`: an earlier life of the object may have left something. */
  constructor(values: Values, mayKnow: boolean) {
    this.#values = values;
    this.#mayKnow = mayKnow;
  }

  known(key: string) {
    this.total++;
    const readings = this.#mayKnow ? this.#values.get<Reading[]>(PREFIX + key) : undefined;
    if (readings === undefined) return undefined;
    if (readings.every(({ code }) => code === null)) this.done++;
    // The batch leaves one log entry, under one id, however often it is taken up: what it knows is
    // its own cost.
    return { readings, charged: true };
  }

  onReadings(key: string, readings: readonly Reading[]): void {
    this.done++;
    this.#unsaved.set(key, readings);
    this.#cancel ??= systemClock.after(LIMITS.batch_journal_flush_ms, () => this.flush());
  }

  onFailed(key: string, readings: readonly Reading[]): void {
    this.#failed.set(key, readings);
  }

  onScored(): void {
    for (const [key, readings] of this.#failed) this.#unsaved.set(key, readings);
    this.flush();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const [key, readings] of this.#unsaved) this.#values.set(PREFIX + key, readings);
    this.#unsaved = new Map();
  }
}
