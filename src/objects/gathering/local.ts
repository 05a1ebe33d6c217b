// Owns the rooms of one process: the same room over memory, for tests and for hosts without Durable
// Objects.

import { createRequestIds } from "../../platform/request-ids.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { RunObjects } from "../run-objects/run-objects.ts";
import { boundedRooms } from "./bounded-join.ts";
import type { GroupRooms } from "./gathering.ts";
import { createGroupJudge } from "./judge-group.ts";
import { createMemoryStore } from "./memory-store.ts";
import { Room } from "./room.ts";
import { listing } from "./room-listing.ts";

/** Rooms that meet in this process only, and are gone with it. */
export function createLocalRooms(deps: JudgingDeps, runObjects?: RunObjects): GroupRooms {
  const rooms = new Map<string, Room>();
  const judge = createGroupJudge(deps);
  const nextRequestId = createRequestIds(() => deps.clock.date().getTime());

  function open(name: string): Room {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let opened: Room | undefined;
    const wakeAt = (at: number | null) => {
      if (timer !== null) clearTimeout(timer);
      if (at === null) return void (rooms.get(name) === opened && rooms.delete(name));
      timer = setTimeout(() => void room.wake(), Math.max(0, at - Date.now()));
      // Nobody waits for what only wants to be forgotten: the process may end (a timer is an object
      // in Node, a number elsewhere).
      (timer as { unref?: () => void }).unref?.();
    };
    // Windows are real time even where a test's clock stands still.
    const parts = { store: createMemoryStore(wakeAt), judge, now: () => Date.now(), nextRequestId };
    const began = listing(runObjects, deps.report, () => forget(name));
    const room: Room = new Room({ ...parts, report: deps.report, began });
    opened = room;
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
