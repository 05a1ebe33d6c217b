// The Durable Object that runs a batch or holds a key's list of batches: connects storage, alarm and RPC
// methods to the implementations in batch.ts and batch-list.ts.
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../platform/clock.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { durableValues } from "../storage/durable.ts";
import { BatchJob } from "./batch.ts";
import { type BatchIds, BatchList } from "./batch-list.ts";
import type { NewBatch } from "./batch-record.ts";
import { createBatchScorer } from "./scorer.ts";
import type { BatchBrief, BatchView } from "./view.ts";

/** Creates the Durable Object class. `depsOf` builds the dependencies from the Worker's environment. */
export function batchClass(depsOf: (env: Record<string, unknown>) => JudgingDeps & { counted(): Promise<void> }) {
  return class extends DurableObject<Record<string, unknown>> {
    #batch: BatchJob | null = null;
    #counted: () => Promise<void> = async () => undefined;
    /** Used only if this object is a key's list of batches. */
    readonly #list = new BatchList(durableValues(this.ctx));

    async submit(id: string, batch: NewBatch, pieces: Uint8Array[]): Promise<void> {
      this.#open().submit(id, batch, pieces);
    }

    async view(keyName: string | null, waitMs: number): Promise<BatchView | null> {
      return this.#open().view(keyName, waitMs);
    }

    async cancel(keyName: string | null): Promise<BatchView | null> {
      return this.#open().cancel(keyName);
    }

    async brief(keyName: string | null): Promise<BatchBrief | null> {
      return this.#open().brief(keyName);
    }

    async note(id: string): Promise<void> {
      this.#list.note(id, systemClock.now());
    }

    async page(before: string | null, limit: number): Promise<BatchIds> {
      return this.#list.page(before, limit);
    }

    async forget(): Promise<void> {
      await this.#open().forget();
    }

    override async alarm(): Promise<void> {
      try {
        await this.#open().wake();
      } finally {
        void this.#counted();
      }
    }

    #open(): BatchJob {
      if (this.#batch !== null) return this.#batch;
      const deps = depsOf(this.env);
      this.#counted = deps.counted;
      this.#batch = new BatchJob({
        values: durableValues(this.ctx),
        score: createBatchScorer(deps),
        keyLimits: deps.keyLimits,
        timers: deps.timers,
        report: deps.report,
      });
      return this.#batch;
    }
  };
}
