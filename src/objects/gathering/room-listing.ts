// Builds the dependencies of a room, the object that gathers samples into groups, and adds the room to the
// list of its run's objects.
import { ownerOf } from "../../core/contract/owner.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { Timers } from "../../ports/ports.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { RunObjects } from "../run-objects/run-objects.ts";
import type { Values } from "../storage/values.ts";
import { type GroupStorage, groupStorage } from "./group-storage.ts";
import { createEarlyJudge, createGroupJudge, type EarlyJudge, type JudgeGroup } from "./judge-group.ts";
import { createRoomStore, type RoomStore, type RoomSubject } from "./room-store.ts";

export interface RoomParts {
  store: RoomStore;
  storage: GroupStorage;
  judge: JudgeGroup;
  /** Omitted: no questions are asked before a group is complete. */
  early?: EarlyJudge;
  timers: Timers;
  nextRequestId(): string;
  report(line: Record<string, unknown>): void;
  /** Called with the samples' common fields when the room's first sample has arrived. */
  began?(subject: RoomSubject, waiterId: string): void;
}

/**
 * Stores the fields that all samples of the room have in common. Does nothing if they are already stored.
 * @returns the number of bytes stored
 */
export function beginWith(subject: RoomSubject, waiterId: string, { store, began }: RoomParts): number {
  if (store.subject() !== null) return 0;
  const bytes = store.saveSubject(subject);
  began?.(subject, waiterId);
  return bytes;
}

/** Releases all bytes that the room has counted against its key's storage limit. */
export function releaseStored({ store, storage }: RoomParts): void {
  for (const group of store.groups()) storage.release(store.subject()?.key_name ?? null, group);
}

/**
 * Adds a new room to its run's list, and deletes the room's data if the run was deleted after the first
 * sample was sent. Runs in the background, so that no request waits for it.
 */
function listing(runObjects: RunObjects, report: (line: Record<string, unknown>) => void, forget: () => Promise<void>) {
  return ({ room, run_id, key_name }: RoomSubject, waiterId: string): void => {
    if (run_id === null) return;
    const noted = runObjects.note({ run_id, owner: ownerOf(key_name) }, { kind: "rooms", name: room }, waiterId);
    void noted
      .then((deleted) => (deleted ? forget() : undefined))
      .catch((error) => report({ ...faultLine(error, waiterId), event: "room_not_listed" }));
  };
}

/** Dependencies for judging, and the lists of each run's objects. */
export type RoomDeps = JudgingDeps & { runObjects: RunObjects };

/**
 * Builds a room's dependencies on top of its stored values.
 * @param forget deletes the room
 */
export function roomParts(
  deps: RoomDeps,
  values: Values,
  nextRequestId: () => string,
  forget: () => Promise<void>,
): RoomParts {
  return {
    store: createRoomStore(values, deps.timers),
    storage: groupStorage(deps),
    judge: createGroupJudge(deps),
    ...(deps.early_judging && { early: createEarlyJudge(deps) }),
    timers: deps.timers,
    nextRequestId,
    report: deps.report,
    began: listing(deps.runObjects, deps.report, forget),
  };
}
