// Client for batches that run in Durable Objects.

import { type ObjectNamespace, type ReachDeps, reach } from "../storage/reach.ts";
import { type BatchIds, listName } from "./batch-list.ts";
import { type NewBatch, newBatch } from "./batch-record.ts";
import { encodeBatch } from "./request-pieces.ts";
import type { BatchBrief, Batches, BatchView } from "./view.ts";

/** RPC methods of the batch's Durable Object. */
export interface BatchStub {
  submit(id: string, batch: NewBatch, pieces: readonly Uint8Array[]): Promise<void>;
  view(keyName: string | null, waitMs: number): Promise<BatchView | null>;
  cancel(keyName: string | null): Promise<BatchView | null>;
  brief(keyName: string | null): Promise<BatchBrief | null>;
  forget(): Promise<void>;
  /** `note` and `page` are only for the object that is a key's list of batches. */
  note(id: string): Promise<void>;
  page(before: string | null, limit: number): Promise<BatchIds>;
}

/**
 * Creates batches that run in Durable Objects, one object per batch, named by the batch id.
 */
export function createRemoteBatches(namespace: ObjectNamespace<BatchStub>, deps: ReachDeps): Batches {
  const call = <T>(id: string, make: (stub: BatchStub) => Promise<T>) => reach(namespace, id, deps, make);
  return {
    async submit(id, head, batch) {
      const pieces = encodeBatch(batch);
      // Ignores a failure, because a batch that is missing from the list still runs.
      const noted = call(listName(head.key_name), (stub) => stub.note(id)).catch(() => undefined);
      await call(id, (stub) => stub.submit(id, newBatch(head, batch), pieces));
      await noted;
    },
    view: (id, keyName, waitMs) => call(id, (stub) => stub.view(keyName, waitMs)),
    cancel: (id, keyName) => call(id, (stub) => stub.cancel(keyName)),
    forget: (id) => call(id, (stub) => stub.forget()),
    async list(keyName, before, limit) {
      const { ids, more } = await call(listName(keyName), (stub) => stub.page(before, limit));
      const rows = await Promise.all(ids.map((id) => call(id, (stub) => stub.brief(keyName))));
      return { rows: rows.filter((row) => row !== null), next: more ? (ids.at(-1) as string) : null };
    },
  };
}
