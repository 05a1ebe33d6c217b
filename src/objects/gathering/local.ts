// Owns the rooms of one process: the same room over memory, for tests and for hosts without Durable
// Objects.

import { createRequestIds } from "../../platform/request-ids.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { RunObjects } from "../run-objects/run-objects.ts";
import { memoryValues } from "../storage/memory.ts";
import { boundedRooms } from "./bounded-join.ts";
import type { GroupRooms } from "./gathering.ts";
import { createEarlyJudge, createGroupJudge } from "./judge-group.ts";
import { Room } from "./room.ts";
import { listing } from "./room-listing.ts";
import { createRoomStore } from "./room-store.ts";

/** Rooms that meet in this process only, and are gone with it. */
export function createLocalRooms(deps: JudgingDeps, runObjects?: RunObjects): GroupRooms {
  const rooms = new Map<string, Room>();
  const judge = createGroupJudge(deps);
  const early = deps.early_judging && { early: createEarlyJudge(deps) };
  const nextRequestId = createRequestIds(() => deps.clock.date().getTime());

  function open(name: string): Room {
    const wake = async () => {
      await room.wake();
      if (room.isEmpty) await values.clear();
    };
    const values = memoryValues(wake, () => void (rooms.get(name) === room && rooms.delete(name)));
    // Windows are real time even where a test's clock stands still.
    const parts = { store: createRoomStore(values), judge, ...early, now: () => Date.now(), nextRequestId };
    const began = listing(runObjects, deps.report, () => forget(name));
    const room: Room = new Room({ ...parts, report: deps.report, began });
    rooms.set(name, room);
    return room;
  }

  async function forget(name: string): Promise<void> {
    rooms.get(name)?.forget();
    rooms.delete(name);
  }

  return boundedRooms({
    forget,
    join: (sample, probe) => (rooms.get(sample.room) ?? open(sample.room)).join(sample, probe),
    leave: async (room, waiterId) => rooms.get(room)?.leave(waiterId),
  });
}
