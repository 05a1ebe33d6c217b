// Owns a batch's memory of what the verifier has answered, in storage, and the count of it. Knows
// no schedule and no verifier.

import { LIMITS } from "../../core/faults/limits.ts";
import type { Sample } from "../../core/judges/samples.ts";
import type { SampleJournal } from "../../scoring/sample-journal.ts";
import type { Values } from "../storage/values.ts";

const PREFIX = "judged:";

/**
 * Each comparison under its content's key. Writes gather for batch_journal_flush_ms: a commit holds
 * back what leaves the object.
 */
export class BatchJournal implements SampleJournal {
  readonly #values: Values;
  readonly #mayKnow: boolean;
  #unsaved = new Map<string, readonly Sample[]>();
  /** Kept only once all is scored: until then a later life of the object asks for them again. */
  readonly #failed = new Map<string, readonly Sample[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Comparisons that scoring has asked for, and those whose samples are all in. */
  total = 0;
  done = 0;

  /** `mayKnow`: an earlier life of the object may have left something. */
  constructor(values: Values, mayKnow: boolean) {
    this.#values = values;
    this.#mayKnow = mayKnow;
  }

  known(key: string) {
    this.total++;
    const samples = this.#mayKnow ? this.#values.get<Sample[]>(PREFIX + key) : undefined;
    if (samples === undefined) return undefined;
    if (samples.every(({ error }) => error === null)) this.done++;
    // The batch leaves one log entry, under one id, however often it is taken up: what it knows is
    // its own cost.
    return { samples, own: true };
  }

  onSamples(key: string, samples: readonly Sample[]): void {
    this.done++;
    this.#unsaved.set(key, samples);
    this.#timer ??= setTimeout(() => this.flush(), LIMITS.batch_journal_flush_ms);
  }

  onFailed(key: string, samples: readonly Sample[]): void {
    this.#failed.set(key, samples);
  }

  onScored(): void {
    for (const [key, samples] of this.#failed) this.#unsaved.set(key, samples);
    this.flush();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const [key, samples] of this.#unsaved) this.#values.put(PREFIX + key, samples);
    this.#unsaved = new Map();
  }
}
