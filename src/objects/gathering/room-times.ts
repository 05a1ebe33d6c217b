// Which groups of a room are due, and when the room has something to do next. Pure: receives the time as an
// argument and does no I/O.
import { LIMITS } from "../../core/faults/limits.ts";
import type { GroupState, RoomState } from "./group-state.ts";
import { closing, due, isOver, releaseTimes, sendAway } from "./group-times.ts";
import { letsUndecidedGo, release, undecidedIn } from "./undecided.ts";

/**
 * Restores a room after a restart. Clients join again, including those of undecided requests, which are not
 * stored. An answer delivered shortly before the restart counts as delivered now: the restart may have
 * interrupted the reply, so a repeated request may be a retry.
 */
export function restoredRoom(groups: readonly GroupState[], now: number): RoomState {
  for (const group of groups) {
    group.telling_apart = false;
    // Groups stored by older versions have no `refused`.
    group.refused ??= [];
    for (const waiter of group.waiters) waiter.lost = true;
    for (const member of group.members) if (now - (member.told_at ?? 0) < LIMITS.room_told_ms) member.told_at = now;
  }
  return { groups: [...groups].sort((a, b) => a.epoch - b.epoch), undecided: [], refused: [] };
}

/**
 * The groups to judge now, with the reason; `scores` marks those with duplicate requests to resolve first.
 * Removes waiters whose deadline has passed.
 */
export function dueGroups(room: RoomState, now: number) {
  for (const group of room.groups) group.waiters = group.waiters.filter(({ answer_by }) => answer_by > now);
  return room.groups.flatMap((group) => {
    const found = due(group, undecidedIn(room, group).length, now);
    return found === null ? [] : [{ group, ...found }];
  });
}

/** Removes the waiters to be answered with `gathering` by now. Returns their ids and the changed groups. */
export function lettingGo(room: RoomState, now: number): { groups: GroupState[]; waiters: string[] } {
  const undecided = letsUndecidedGo(room).flatMap(({ waiter_id, at }) => (at <= now ? [waiter_id] : []));
  for (const waiter of undecided) release(room, waiter);
  const sent = room.groups.map((group) => ({ group, waiters: sendAway(group, now) }));
  const changed = sent.filter(({ waiters }) => waiters.length > 0);
  return {
    groups: changed.map(({ group }) => group),
    waiters: [...undecided, ...changed.flatMap(({ waiters }) => waiters)],
  };
}

/** Time at which the next waiter is to be answered with `gathering`; null if none is scheduled. */
export function letsGoAt(room: RoomState): number | null {
  const waiters = room.groups.flatMap((group) => releaseTimes(group));
  return earliest([...waiters, ...letsUndecidedGo(room)].map(({ at }) => at));
}

/** Removes the groups for which no client will return, and returns their epochs. */
export function forget(room: RoomState, now: number): number[] {
  const over = room.groups.filter((group) => isOver(group, now));
  room.groups = room.groups.filter((group) => !over.includes(group));
  return over.map(({ epoch }) => epoch);
}

/** Earliest time at which a gathering group closes if no sample arrives; null if none is scheduled. */
export function closesAt(room: RoomState): number | null {
  const gathers = ({ judging, telling_apart }: GroupState) => judging === null && !telling_apart;
  return earliest(room.groups.filter(gathers).flatMap((group) => closing(group)?.at ?? []));
}

/** Time of the next closing or expiry of a group if no request arrives; null if the room is empty. */
export function wakesAt(room: RoomState): number | null {
  const idle = room.groups.filter((group) => group.judging === null && closing(group) === null);
  const over = idle.map(({ forget_at, waiters }) => Math.max(forget_at, ...waiters.map(({ answer_by }) => answer_by)));
  return earliest([closesAt(room) ?? [], ...over].flat());
}

const earliest = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));

/** Removes all waiters and all groups. */
export function forgetAll({ groups, undecided }: RoomState): void {
  for (const group of groups.splice(0)) group.waiters = [];
  undecided.length = 0;
}
