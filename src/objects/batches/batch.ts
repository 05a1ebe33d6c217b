// The lifecycle of a batch: submission, scoring, resumption after a restart, end and deletion.

import type { GroupResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { ApiError, asApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { within } from "../../platform/waiting.ts";
import type { KeyLimits } from "../../ports/key-limits.ts";
import type { Timers } from "../../ports/ports.ts";
import type { Values } from "../storage/values.ts";
import { Waiters } from "../storage/waiters.ts";
import { type BatchRecord, BatchStore, hasEnded, type NewBatch, newRecord } from "./batch-record.ts";
import { BatchJournal } from "./journal.ts";
import { decodeBatch } from "./request-pieces.ts";
import type { BatchScorer } from "./scorer.ts";
import type { BatchBrief, BatchFault, BatchState, BatchView } from "./view.ts";

interface BatchParts {
  values: Values;
  score: BatchScorer;
  keyLimits: KeyLimits | null;
  timers: Timers;
  report(line: Record<string, unknown>): void;
}

interface BatchOutcome {
  reply?: RewardsReply;
  error?: BatchFault;
}

interface Running {
  cancel: AbortController;
  journal: BatchJournal;
  groups: Set<number>;
  ended: Promise<void>;
}

export class BatchJob {
  readonly #parts: BatchParts;
  readonly #store: BatchStore;
  readonly #waiters: Waiters;
  #running: Running | null = null;
  #waking: Promise<void> | null = null;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#store = new BatchStore(parts.values);
    this.#waiters = new Waiters(parts.timers);
  }

  /** Stores the batch, which the alarm then starts. Does nothing if the batch is already stored. */
  submit(id: string, batch: NewBatch, pieces: readonly Uint8Array[]): void {
    if (this.#store.record() !== undefined) return;
    const now = this.#parts.timers.now();
    this.#store.saveRequest(pieces);
    this.#store.save(newRecord(id, batch, now));
    this.#parts.values.wakeAt(now);
    // The reply will replace the request, so only the request's bytes are counted.
    const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    const until = now + batch.deadline_ms + LIMITS.batch_kept_ms;
    void this.#parts.keyLimits?.store(batch.key_name, LIMITS.object_base_bytes + bytes, until);
  }

  /**
   * Returns the batch, or null if another key submitted it. Waits until the batch has ended, up to `waitMs`.
   */
  async view(keyName: string | null, waitMs: number): Promise<BatchView | null> {
    const record = this.#recordFor(keyName);
    if (record === null) return null;
    if (!hasEnded(record)) {
      // Sets the alarm again in case it was lost, so that a batch that is being polled always continues.
      if (this.#running === null) this.#parts.values.wakeAt(this.#parts.timers.now());
      if (waitMs > 0) await this.#waiters.wait(waitMs);
    }
    const now = this.#recordFor(keyName);
    return now && this.#store.view({ ...now, progress: this.#progress(now) });
  }

  /** The batch as shown in lists; null if another key submitted the batch. */
  brief(keyName: string | null): BatchBrief | null {
    const record = this.#recordFor(keyName);
    if (record === null) return null;
    const { batch_id, route, state, created_at, deadline_at, ended_at } = record;
    return { batch_id, route, state, created_at, deadline_at, ended_at, progress: this.#progress(record) };
  }

  /** Cancels the batch and its running verifier requests. Finished groups stay readable. */
  cancel(keyName: string | null): BatchView | null {
    const record = this.#recordFor(keyName);
    if (record === null) return null;
    if (!hasEnded(record)) {
      this.#end(record, "cancelled", {});
      this.#running?.cancel.abort("cancelled");
    }
    return this.#store.view(this.#recordFor(keyName) as BatchRecord);
  }

  /** Cancels the batch, waits for its last writes, and deletes it. */
  async forget(): Promise<void> {
    const record = this.#store.record();
    if (record === undefined) return;
    if (!hasEnded(record)) this.#end(record, "cancelled", {});
    this.#running?.cancel.abort("cancelled");
    await this.#running?.ended;
    await this.#parts.values.clear();
    this.#waiters.notify();
  }

  /** Handles the alarm, which may fire at any time and more than once. */
  wake(): Promise<void> {
    this.#waking ??= this.#wake().finally(() => {
      this.#waking = null;
    });
    return this.#waking;
  }

  async #wake(): Promise<void> {
    const { values, timers } = this.#parts;
    const record = this.#store.record();
    if (record === undefined || (record.ended_at !== null && timers.now() >= record.ended_at + LIMITS.batch_kept_ms)) {
      return values.clear();
    }
    if (!hasEnded(record)) {
      // Sets the next alarm before the work starts, so that the work is resumed if this object restarts.
      values.wakeAt(timers.now() + LIMITS.batch_check_ms);
      await this.#work(record);
    }
    const after = this.#store.record();
    if (after === undefined || !hasEnded(after)) return;
    this.#wakeAtExpiry(after);
  }

  /**
   * Resolves when the work has ended, at the latest after batch_alarm_ms, since the duration of an alarm is
   * limited. The work continues after that, and the next alarm waits for it again.
   */
  async #work(record: BatchRecord): Promise<void> {
    this.#running ??= this.#start(record);
    await within(this.#parts.timers, LIMITS.batch_alarm_ms, this.#running.ended, () => undefined);
  }

  #start(record: BatchRecord): Running {
    const { values, timers, report } = this.#parts;
    record.lives++;
    record.state = "running";
    this.#store.save(record);
    const groups = new Set(this.#store.groups().map(({ index }) => index));
    const cancel = new AbortController();
    const journal = new BatchJournal(values, timers, record.lives > 1);
    const running = { cancel, groups, journal, ended: Promise.resolve() };
    running.ended = this.#score(record, running)
      .then((reply) => this.#finish("done", { reply }))
      .catch((error) => {
        const { code, message: detail, errors } = asApiError(error);
        if (code === "internal") report(faultLine(error, record.batch_id));
        this.#finish("failed", { error: { code, detail, errors: [...errors] } });
      })
      .finally(() => {
        this.#running = null;
      });
    return running;
  }

  async #score(record: BatchRecord, { cancel, groups, journal }: Running): Promise<RewardsReply> {
    if (record.lives > LIMITS.batch_lives_max) {
      throw new ApiError("internal", `The batch was started ${LIMITS.batch_lives_max} times and never finished.`);
    }
    const onGroup = (index: number, result: GroupResult) => {
      if (cancel.signal.aborted) return;
      groups.add(index);
      this.#store.saveGroup(index, result);
    };
    try {
      await this.#parts.keyLimits?.reserve(record.key_name, record.batch_id, record.deadline_at);
      return await this.#parts.score({
        ...decodeBatch(this.#store.request()),
        request_id: record.batch_id,
        key_name: record.key_name,
        deadline_ms: Math.max(1, record.deadline_at - this.#parts.timers.now()),
        signal: cancel.signal,
        onGroup,
        journal,
      });
    } finally {
      journal.flush();
    }
  }

  /** Ends the batch unless it was already cancelled. */
  #finish(state: BatchState, outcome: BatchOutcome): void {
    const record = this.#store.record();
    if (record !== undefined && !hasEnded(record)) this.#end(record, state, outcome);
  }

  #end(record: BatchRecord, state: BatchState, { reply, error }: BatchOutcome): void {
    const progress = this.#progress(record);
    this.#store.save({ ...record, state, error: error ?? null, progress, ended_at: this.#parts.timers.now() });
    this.#store.forgetRequest();
    if (reply !== undefined) this.#store.saveReply(reply);
    void this.#parts.keyLimits?.release(record.key_name, record.batch_id);
    this.#wakeAtExpiry(this.#store.record() as BatchRecord);
    this.#waiters.notify();
  }

  /** Sets the alarm that deletes the batch, batch_kept_ms after its end. */
  #wakeAtExpiry({ ended_at }: BatchRecord): void {
    this.#parts.values.wakeAt((ended_at as number) + LIMITS.batch_kept_ms);
  }

  #recordFor(keyName: string | null): BatchRecord | null {
    const record = this.#store.record();
    return record?.key_name === keyName ? record : null;
  }

  #progress({ progress }: BatchRecord): BatchRecord["progress"] {
    if (this.#running === null) return progress;
    const { journal, groups } = this.#running;
    return {
      ...progress,
      comparisons_total: journal.total,
      comparisons_done: journal.done,
      groups_done: groups.size,
    };
  }
}
