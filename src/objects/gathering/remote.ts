// Client for rooms in Durable Objects, which gather one-sample requests into groups. A request joins its room
// again if the call to the object fails.

import { ApiError } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { pause } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";
import { type ReachDeps, reach } from "../storage/reach.ts";
import { boundedRooms } from "./bounded-join.ts";
import type { ClientProbe, GatheredSample, GroupClosing, GroupRooms, NamedMembers } from "./gathering.ts";
import type { AddReply, CloseReply } from "./named-group.ts";
import { type RoomReply, unlessFault } from "./reply.ts";

const UNREACHABLE = "The room that gathers this sample's group cannot be reached. Send the same request again.";

/** RPC methods of the room's Durable Object. */
export interface RoomStub {
  join(sample: GatheredSample, probe: ClientProbe | null): Promise<RoomReply>;
  leave(waiterId: string): Promise<void>;
  forget(): Promise<void>;
  add(members: NamedMembers): Promise<AddReply>;
  close(closing: GroupClosing): Promise<CloseReply>;
}

/** The part of a Durable Object namespace used here. */
export interface RoomNamespace {
  getByName(name: string): RoomStub;
}

/**
 * Creates rooms that run in Durable Objects, one object per room.
 */
export function createRemoteRooms(namespace: RoomNamespace, deps: ReachDeps): GroupRooms {
  const named = <T extends object>(room: string, call: (stub: RoomStub) => Promise<T>) =>
    reach(namespace, room, deps, call).then(unlessFault);
  const rooms = boundedRooms(deps.timers, {
    join: (sample, probe, signal) =>
      joinAgain(namespace, deps.timers, sample, probe, signal).catch((error) => {
        deps.report({ ...faultLine(error, sample.waiter_id), event: "room_unreachable" });
        throw new ApiError("not_ready", UNREACHABLE);
      }),
    leave: (room, waiterId) => namespace.getByName(room).leave(waiterId),
    forget: (room) => reach(namespace, room, deps, (stub) => stub.forget()),
  });
  return {
    ...rooms,
    named: {
      add: async (members) => (await named(members.room, (stub) => stub.add(members))).added,
      close: (closing) => named(closing.room, (stub) => stub.close(closing)),
    },
  };
}

/**
 * Joins a room and retries failed calls, since calls fail when the object is moved, restarted or updated. The
 * room recognises the request by its id, so joining again is safe. A stub is not reused after a failed call.
 */
async function joinAgain(
  namespace: RoomNamespace,
  timers: Timers,
  sample: GatheredSample,
  probe: ClientProbe | null,
  signal: AbortSignal,
): Promise<RoomReply> {
  const started = timers.now();
  for (let tries = 1; ; tries++) {
    const remaining = Math.max(1, sample.answer_within_ms - (timers.now() - started));
    try {
      return await namespace.getByName(sample.room).join({ ...sample, answer_within_ms: remaining }, probe);
    } catch (error) {
      if (signal.aborted || tries >= LIMITS.room_join_tries_max) throw error;
      await pause(timers, LIMITS.room_join_backoff_ms * 2 ** (tries - 1));
      // The request has stopped waiting, so joining again would create a waiter that is never removed.
      if (signal.aborted) throw error;
    }
  }
}
