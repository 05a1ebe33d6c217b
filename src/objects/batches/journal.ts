// A batch's stored journal of verdicts, which lets a restarted batch skip questions that were answered
// before. Also counts the batch's comparisons.

import type { Reading } from "../../core/asking/readings.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { Values } from "../storage/values.ts";

const PREFIX = "judged:";

/**
 * Stores the readings of each comparison under a key derived from its content. Writes are buffered for
 * batch_journal_flush_ms, because each commit delays the object's outgoing messages.
 */
export class BatchJournal implements ReadingJournal {
  readonly #values: Values;
  readonly #timers: Timers;
  readonly #mayKnow: boolean;
  #unsaved = new Map<string, readonly Reading[]>();
  /** Failed comparisons, stored only when scoring has finished, so that a restarted batch asks them again. */
  readonly #failed = new Map<string, readonly Reading[]>();
  #cancel: (() => void) | null = null;
  /** Number of comparisons that are known or being asked; `done` counts those with complete readings. */
  total = 0;
  done = 0;

  /** @param mayKnow whether the batch was restarted, so that stored readings may exist */
  constructor(values: Values, timers: Timers, mayKnow: boolean) {
    this.#values = values;
    this.#timers = timers;
    this.#mayKnow = mayKnow;
  }

  known(key: string) {
    const readings = this.#mayKnow ? this.#values.get<Reading[]>(PREFIX + key) : undefined;
    if (readings === undefined) return undefined;
    this.total++;
    if (readings.every(({ code }) => code === null)) this.done++;
    // A batch writes a single log entry, however often it is restarted, so stored readings are charged too.
    return { readings, charged: true };
  }

  onReadings(key: string, readings: readonly Reading[]): void {
    this.done++;
    this.#unsaved.set(key, readings);
    this.#cancel ??= this.#timers.after(LIMITS.batch_journal_flush_ms, () => this.flush());
  }

  onFailed(key: string, readings: readonly Reading[]): void {
    this.#failed.set(key, readings);
  }

  /** No other batch uses this journal. */
  underWay(): undefined {}

  asking(keys: readonly string[]): () => void {
    this.total += keys.length;
    return () => {};
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
