// The seam to the lists of what holds something of a run, and both ways to them: as Durable Objects, and in
// this process.

import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { encodeTime } from "../../platform/request-ids.ts";
import { memoryValues } from "../storage/memory.ts";
import { type ObjectNamespace, reach } from "../storage/reach.ts";
import { type ListedObject, type RunObject, RunObjectList, runListName } from "./list.ts";

/** Calls are harmless to repeat, and reject with an ApiError. */
export interface RunObjects {
  /**
   * Notes an object that holds something of the run, by a request of this id. Resolves with true
   * where the run was deleted since that request came: whoever asks empties the object.
   */
  note(run: RunKey, object: RunObject, requestId: string): Promise<boolean>;
  /** The run is deleted, as of requests from before the instant: what is to be emptied, some at a time. */
  markDeleted(run: RunKey, before: Date): Promise<ListedObject[]>;
  /** They have been. */
  emptied(run: RunKey, objects: readonly ListedObject[]): Promise<void>;
}

/** The calls of the Durable Object that holds a run's list. */
export interface RunListStub {
  noteOfRun(object: RunObject, requestId: string): Promise<boolean>;
  markRunDeleted(before: string, limit: number): Promise<ListedObject[]>;
  emptiedOfRun(entries: readonly string[]): Promise<void>;
}

const LIMIT = LIMITS.deletion_objects;

/** Lists as Durable Objects. `report` takes log lines about objects that cannot be reached. */
export function createRemoteRunObjects(
  namespace: ObjectNamespace<RunListStub>,
  report: (line: Record<string, unknown>) => void,
): RunObjects {
  const call = <T>(run: RunKey, make: (stub: RunListStub) => Promise<T>) =>
    reach(namespace, runListName(run), report, make);
  return {
    note: (run, object, requestId) => call(run, (stub) => stub.noteOfRun(object, requestId)),
    markDeleted: (run, before) => call(run, (stub) => stub.markRunDeleted(encodeTime(before.getTime()), LIMIT)),
    emptied: (run, objects) => call(run, (stub) => stub.emptiedOfRun(objects.map(({ entry }) => entry))),
  };
}

/** Lists of this process, gone with it as what they list. */
export function createLocalRunObjects(now: () => number = () => Date.now()): RunObjects {
  const lists = new Map<string, RunObjectList>();
  function open(run: RunKey): RunObjectList {
    const name = runListName(run);
    const known = lists.get(name);
    if (known !== undefined) return known;
    const list: RunObjectList = new RunObjectList(
      memoryValues(
        () => void list.wake(now()),
        () => void lists.delete(name),
      ),
    );
    lists.set(name, list);
    return list;
  }
  return {
    note: async (run, object, requestId) => open(run).note(object, requestId, now()),
    markDeleted: async (run, before) => open(run).markDeleted(encodeTime(before.getTime()), LIMIT, now()),
    emptied: async (run, objects) => open(run).emptied(objects.map(({ entry }) => entry)),
  };
}
