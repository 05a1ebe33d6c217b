// Owns reaching batches that are Durable Objects. Knows no decision.

import { type ObjectNamespace, reach } from "../storage/reach.ts";
import { type NewBatch, newBatch } from "./batch-record.ts";
import { encodeBatch } from "./request-pieces.ts";
import type { Batches, BatchView } from "./view.ts";

/** The Durable Object's calls, as its stub offers them. */
export interface BatchStub {
  submit(id: string, batch: NewBatch, pieces: readonly Uint8Array[]): Promise<void>;
  view(keyName: string | null, waitMs: number): Promise<BatchView | null>;
  cancel(keyName: string | null): Promise<BatchView | null>;
}

/**
 * Batches as Durable Objects, one each, named by their ids. `report` takes log lines about objects
 * that cannot be reached.
 */
export function createRemoteBatches(
  namespace: ObjectNamespace<BatchStub>,
  report: (line: Record<string, unknown>) => void,
): Batches {
  const call = <T>(id: string, make: (stub: BatchStub) => Promise<T>) => reach(namespace, id, report, make);
  return {
    submit(id, head, batch) {
      const pieces = encodeBatch(batch);
      return call(id, (stub) => stub.submit(id, newBatch(head, batch), pieces));
    },
    view: (id, keyName, waitMs) => call(id, (stub) => stub.view(keyName, waitMs)),
    cancel: (id, keyName) => call(id, (stub) => stub.cancel(keyName)),
  };
}
