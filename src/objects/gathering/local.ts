// Gathers one-sample requests into groups in the memory of one process, for tests and for hosts without
// Durable Objects.

import { createRequestIds } from "../../platform/request-ids.ts";
import { memoryValues } from "../storage/memory.ts";
import { boundedRooms } from "./bounded-join.ts";
import type { GroupClosing, GroupRooms, NamedMembers } from "./gathering.ts";
import { NamedGroup } from "./named-group.ts";
import { unlessFault } from "./reply.ts";
import { Room } from "./room.ts";
import { type RoomDeps, type RoomParts, roomParts } from "./room-listing.ts";

/** Creates in-memory rooms. */
export function createLocalRooms(deps: RoomDeps): GroupRooms {
  const rooms = new Map<string, Room | NamedGroup>();
  const nextRequestId = createRequestIds(() => deps.clock.date().getTime());

  function open<R extends Room | NamedGroup>(name: string, kind: new (parts: RoomParts) => R): R {
    const known = rooms.get(name);
    if (known !== undefined) return known as R;
    const wake = async () => {
      await room.wake();
      if (room.isEmpty) await values.clear();
    };
    const values = memoryValues(deps.timers, wake, () => void (rooms.get(name) === room && rooms.delete(name)));
    const room = new kind(roomParts(deps, values, nextRequestId, () => forget(name)));
    rooms.set(name, room);
    return room;
  }

  async function forget(name: string): Promise<void> {
    rooms.get(name)?.forget();
    rooms.delete(name);
  }

  const bounded = boundedRooms(deps.timers, {
    forget,
    join: (sample, probe) => open(sample.room, Room).join(sample, probe),
    leave: async (room, waiterId) => (rooms.get(room) as Room | undefined)?.leave(waiterId),
  });
  const named = {
    add: async (members: NamedMembers) => unlessFault(open(members.room, NamedGroup).add(members)).added,
    async close(closing: GroupClosing) {
      const group = open(closing.room, NamedGroup);
      const reply = await group.close(closing);
      if (group.isEmpty) rooms.delete(closing.room);
      return unlessFault(reply);
    },
  };
  return { ...bounded, named };
}
