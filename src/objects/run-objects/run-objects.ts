// Port to the lists of the Durable Objects that contain data of a run, with two implementations: one in
// Durable Objects and one in memory.

import type { RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { encodeTime } from "../../platform/request-ids.ts";
import type { Timers } from "../../ports/ports.ts";
import { memoryValues } from "../storage/memory.ts";
import { type ObjectNamespace, type ReachDeps, reach } from "../storage/reach.ts";
import { type ListedObject, type RunObject, RunObjectList, runListName } from "./list.ts";

/** Port to the runs' lists. Calls are idempotent and reject with an ApiError. */
export interface RunObjects {
  /**
   * Adds an object that received data of the run from request `requestId`. Resolves with true if the run was
   * deleted after that request arrived; the caller must then delete the object's data.
   */
  note(run: RunKey, object: RunObject, requestId: string): Promise<boolean>;
  /**
   * Marks the run as deleted for requests that arrived before `before`. Returns some of the objects whose
   * data must be deleted; call again for more.
   */
  markDeleted(run: RunKey, before: Date): Promise<ListedObject[]>;
  /** Removes objects from the list after their data has been deleted. */
  emptied(run: RunKey, objects: readonly ListedObject[]): Promise<void>;
}

/** RPC methods of the Durable Object that holds a run's list. */
export interface RunListStub {
  noteOfRun(object: RunObject, requestId: string): Promise<boolean>;
  markRunDeleted(before: string, limit: number): Promise<ListedObject[]>;
  emptiedOfRun(entries: readonly string[]): Promise<void>;
}

const LIMIT = LIMITS.deletion_objects;

/** Creates lists in Durable Objects.  */
export function createRemoteRunObjects(namespace: ObjectNamespace<RunListStub>, deps: ReachDeps): RunObjects {
  const call = <T>(run: RunKey, make: (stub: RunListStub) => Promise<T>) =>
    reach(namespace, runListName(run), deps, make);
  return {
    note: (run, object, requestId) => call(run, (stub) => stub.noteOfRun(object, requestId)),
    markDeleted: (run, before) => call(run, (stub) => stub.markRunDeleted(encodeTime(before.getTime()), LIMIT)),
    emptied: (run, objects) => call(run, (stub) => stub.emptiedOfRun(objects.map(({ entry }) => entry))),
  };
}

/** Creates lists that live only in this process. */
export function createLocalRunObjects(timers: Timers): RunObjects {
  const lists = new Map<string, RunObjectList>();
  function open(run: RunKey): RunObjectList {
    const name = runListName(run);
    const known = lists.get(name);
    if (known !== undefined) return known;
    const list: RunObjectList = new RunObjectList(
      memoryValues(
        timers,
        () => void list.wake(timers.now()),
        () => void lists.delete(name),
      ),
    );
    lists.set(name, list);
    return list;
  }
  return {
    note: async (run, object, requestId) => open(run).note(object, requestId, timers.now()),
    markDeleted: async (run, before) => open(run).markDeleted(encodeTime(before.getTime()), LIMIT, timers.now()),
    emptied: async (run, objects) => open(run).emptied(objects.map(({ entry }) => entry)),
  };
}
