// Batches in the memory of one process, for tests and for hosts without Durable Objects.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { memoryValues } from "../storage/memory.ts";
import { BatchJob } from "./batch.ts";
import { newBatch } from "./batch-record.ts";
import { encodeBatch } from "./request-pieces.ts";
import { createBatchScorer } from "./scorer.ts";
import type { Batches } from "./view.ts";

/** Creates an in-memory store of batches, which holds at most batches_local_max of them. */
export function createLocalBatches(deps: JudgingDeps): Batches {
  const batches = new Map<string, BatchJob>();
  const score = createBatchScorer(deps);

  function open(id: string): BatchJob {
    if (batches.size >= LIMITS.batches_local_max) {
      throw new ApiError(
        "overloaded",
        `This process has reached its limit batches_local_max = ${LIMITS.batches_local_max}.`,
      );
    }
    const values = memoryValues(
      deps.timers,
      () => void batch.wake(),
      () => void batches.delete(id),
    );
    const { keyLimits, timers, report } = deps;
    const batch: BatchJob = new BatchJob({ values, score, keyLimits, timers, report });
    batches.set(id, batch);
    return batch;
  }

  return {
    submit: async (id, head, batch) =>
      (batches.get(id) ?? open(id)).submit(id, newBatch(head, batch), encodeBatch(batch)),
    view: async (id, keyName, waitMs) => (await batches.get(id)?.view(keyName, waitMs)) ?? null,
    cancel: async (id, keyName) => batches.get(id)?.cancel(keyName) ?? null,
    forget: async (id) => batches.get(id)?.forget(),
    async list(keyName, before, limit) {
      const all = [...batches.values()].flatMap((batch) => batch.brief(keyName) ?? []);
      const older = all
        .filter(({ batch_id }) => before === null || batch_id < before)
        .sort((a, b) => (a.batch_id < b.batch_id ? 1 : -1));
      const rows = older.slice(0, limit);
      return { rows, next: older.length > limit ? (rows.at(-1)?.batch_id ?? null) : null };
    },
  };
}
