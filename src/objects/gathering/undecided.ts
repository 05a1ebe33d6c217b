// Keeps requests that equal an open request until it is known whether they are retries or separate samples.
// Pure: receives the time as an argument and does no I/O.
import { isLacking, patienceOf } from "./group.ts";
import type { Arrival, GroupState, MemberState, RoomState, Undecided, WaiterState } from "./group-state.ts";

/** The waiting requests with this body, with their members and groups, in ascending order of group. */
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

/** Whether the waiter was restored after a restart and its client has not joined again. */
export const isLost = ({ groups }: RoomState, waiterId: string): boolean =>
  groups.some(({ waiters }) => waiters.some(({ waiter_id, lost }) => waiter_id === waiterId && lost));

/** Undecided requests with this body, in order of arrival. */
export const undecidedOf = ({ undecided }: RoomState, bodyHash: string): Undecided[] =>
  undecided.filter(({ arrival }) => arrival.body_hash === bodyHash);

/** Undecided requests that equal a request waiting in this group. */
export function undecidedIn(room: RoomState, { epoch }: GroupState): Undecided[] {
  return room.undecided.filter(({ arrival }) => equalWaiters(room, arrival.body_hash).at(-1)?.group.epoch === epoch);
}

/** Adds an undecided request, and updates the number of equal requests that are open at the same time. */
export function addUndecided(room: RoomState, arrival: Arrival, now: number): void {
  room.undecided.push({ arrival, since: now });
  const open = 1 + undecidedOf(room, arrival.body_hash).length;
  for (const { member } of equalWaiters(room, arrival.body_hash)) member.abreast = Math.max(member.abreast, open);
}

/** Undecided requests that are no longer blocked by an earlier equal request. */
export function decidable(room: RoomState): Undecided[] {
  return room.undecided.filter(
    (sample) =>
      undecidedOf(room, sample.arrival.body_hash)[0] === sample &&
      equalWaiters(room, sample.arrival.body_hash).length === 0,
  );
}

/** Removes and returns an undecided request; null if it is no longer there. */
export function release(room: RoomState, waiterId: string): Undecided | null {
  const at = room.undecided.findIndex(({ arrival }) => arrival.waiter_id === waiterId);
  return at < 0 ? null : (room.undecided.splice(at, 1)[0] as Undecided);
}

/**
 * When each undecided request is answered with `gathering`. As for waiters, the client may need the
 * connection in order to send a missing sample.
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
