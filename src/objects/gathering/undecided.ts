// Requests equal to an open one, until it is known whether they are retries or separate samples. Pure:
// receives the time as an argument; must not depend on storage or connections.
import { isLacking, patienceOf } from "./group.ts";
import type { Arrival, GroupState, MemberState, RoomState, Undecided, WaiterState } from "./group-state.ts";

/** Waiters for members with this body, with their groups, in ascending order. */
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

/** Whether the waiter is from before a restart of the room and has not rejoined. */
export const isLost = ({ groups }: RoomState, waiterId: string): boolean =>
  groups.some(({ waiters }) => waiters.some(({ waiter_id, lost }) => waiter_id === waiterId && lost));

/** Undecided requests with this body, in order of arrival. */
export const undecidedOf = ({ undecided }: RoomState, bodyHash: string): Undecided[] =>
  undecided.filter(({ arrival }) => arrival.body_hash === bodyHash);

/** Undecided requests whose equal request waits in this group. */
export function undecidedIn(room: RoomState, { epoch }: GroupState): Undecided[] {
  return room.undecided.filter(({ arrival }) => equalWaiters(room, arrival.body_hash).at(-1)?.group.epoch === epoch);
}

/** Adds an undecided request, and updates the number of equal requests open at the same time. */
export function addUndecided(room: RoomState, arrival: Arrival, now: number): void {
  room.undecided.push({ arrival, since: now });
  const open = 1 + undecidedOf(room, arrival.body_hash).length;
  for (const { member } of equalWaiters(room, arrival.body_hash)) member.abreast = Math.max(member.abreast, open);
}

/** Undecided requests that no earlier equal request blocks any more. */
export function decidable(room: RoomState): Undecided[] {
  return room.undecided.filter(
    (sample) =>
      undecidedOf(room, sample.arrival.body_hash)[0] === sample &&
      equalWaiters(room, sample.arrival.body_hash).length === 0,
  );
}

/** Removes an undecided request and returns it; null if it is gone. */
export function release(room: RoomState, waiterId: string): Undecided | null {
  const at = room.undecided.findIndex(({ arrival }) => arrival.waiter_id === waiterId);
  return at < 0 ? null : (room.undecided.splice(at, 1)[0] as Undecided);
}

/**
 * When each undecided request is released, like a waiter of its group: a missing sample may need its
 * connection.
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
