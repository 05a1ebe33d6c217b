// Requests equal to a waiting one, until it is known whether they repeat it or are separate samples. Pure:
// times are given; must not know storage or connections.
import { isLacking, patienceOf } from "./group.ts";
import type { Arrival, GroupState, MemberState, RoomState, Undecided, WaiterState } from "./group-state.ts";

/** Who waits for a member with such a body, with its group: ascending. */
export function equalWaiters(
  { groups }: RoomState,
  bodyHash: string,
): { group: GroupState; member: MemberState; waiter: WaiterState }[] {
  return groups.flatMap((group) =>
    group.waiters.flatMap((waiter) => {
      const member = group.members[waiter.member] as MemberState;
      return member.body_hash === bodyHash ? [{ group, member, waiter }] : [];
    }),
  );
}

/** It waited in an earlier life of the room, and has not joined again. */
export const isLost = ({ groups }: RoomState, waiterId: string): boolean =>
  groups.some(({ waiters }) => waiters.some(({ waiter_id, lost }) => waiter_id === waiterId && lost));

/** Undecided requests with such a body, in order of arrival. */
export const undecidedOf = ({ undecided }: RoomState, bodyHash: string): Undecided[] =>
  undecided.filter(({ arrival }) => arrival.body_hash === bodyHash);

/** The undecided requests whose equals are waited for in this group. */
export function undecidedIn(room: RoomState, { epoch }: GroupState): Undecided[] {
  return room.undecided.filter(({ arrival }) => equalWaiters(room, arrival.body_hash).at(-1)?.group.epoch === epoch);
}

/** Leaves it undecided, and counts how many equal requests were open at once. */
export function addUndecided(room: RoomState, arrival: Arrival, now: number): void {
  room.undecided.push({ arrival, since: now });
  const open = 1 + undecidedOf(room, arrival.body_hash).length;
  for (const { member } of equalWaiters(room, arrival.body_hash)) member.abreast = Math.max(member.abreast, open);
}

/** Those whom nothing equal is before any more: they take the place that is theirs. */
export function decidable(room: RoomState): Undecided[] {
  return room.undecided.filter(
    (sample) =>
      undecidedOf(room, sample.arrival.body_hash)[0] === sample &&
      equalWaiters(room, sample.arrival.body_hash).length === 0,
  );
}

/** Takes it out of the room; null when it is not there any more. */
export function release(room: RoomState, waiterId: string): Undecided | null {
  const at = room.undecided.findIndex(({ arrival }) => arrival.waiter_id === waiterId);
  return at < 0 ? null : (room.undecided.splice(at, 1)[0] as Undecided);
}

/**
 * When each is let go, as a waiter of its group: its connection may be the one that another lacks.
 */
export function letsUndecidedGo(room: RoomState): { waiter_id: string; at: number }[] {
  return room.undecided.flatMap(({ arrival, since }) => {
    const before = equalWaiters(room, arrival.body_hash).at(-1);
    if (before === undefined || !isLacking(before.group) || before.group.telling_apart) return [];
    const { tries, abreast } = before.member;
    const patience = patienceOf({ tries: tries - 1, abreast }, arrival);
    if (patience === null) return [];
    return [{ waiter_id: arrival.waiter_id, at: Math.max(since, before.group.last_at) + patience }];
  });
}
