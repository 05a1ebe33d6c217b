// Defines what a room is given, and that its run's list knows it.
import { ownerOf } from "../../core/contract/owner.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
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
  /** Absent: nothing is asked of a group before it is judged. */
  early?: EarlyJudge;
  /** ms since 1970. */
  now(): number;
  nextRequestId(): string;
  report(line: Record<string, unknown>): void;
  /** Called with the room's subject when its first sample has come. */
  began?(subject: RoomSubject, waiterId: string): void;
}

/** The first who comes says what the room is. @returns the bytes that this stores */
export function beginWith(subject: RoomSubject, waiterId: string, { store, began }: RoomParts): number {
  if (store.subject() !== null) return 0;
  const bytes = store.saveSubject(subject);
  began?.(subject, waiterId);
  return bytes;
}

/** Lets go what its key's limits have booked of the room. */
export function releaseStored({ store, storage }: RoomParts): void {
  for (const group of store.groups()) storage.release(store.subject()?.key_name ?? null, group);
}

/**
 * A room's work when it begins: it is put on its run's list, and where the run has been deleted since its
 * first sample was sent, it forgets. No request waits for that.
 */
function listing(
  runObjects: RunObjects | undefined,
  report: (line: Record<string, unknown>) => void,
  forget: () => Promise<void>,
) {
  return ({ room, run_id, key_name }: RoomSubject, waiterId: string): void => {
    if (runObjects === undefined || run_id === null) return;
    const noted = runObjects.note({ run_id, owner: ownerOf(key_name) }, { kind: "rooms", name: room }, waiterId);
    void noted
      .then((deleted) => (deleted ? forget() : undefined))
      .catch((error) => report({ ...faultLine(error, waiterId), event: "room_not_listed" }));
  };
}

/** The parts that rooms judge with, and the lists of runs that know of them; absent: none. */
export type RoomDeps = Omit<JudgingDeps, "runObjects"> & { runObjects?: RunObjects };

/** The parts of a room over these values; `forget` is how its holder has it forget. */
export function roomParts(
  deps: RoomDeps,
  values: Values,
  nextRequestId: () => string,
  forget: () => Promise<void>,
): RoomParts {
  return {
    store: createRoomStore(values),
    storage: groupStorage(deps),
    judge: createGroupJudge(deps),
    ...(deps.early_judging && { early: createEarlyJudge(deps) }),
    // Windows are real time even where a test's clock stands still.
    now: () => Date.now(),
    nextRequestId,
    report: deps.report,
    began: listing(deps.runObjects, deps.report, forget),
  };
}
