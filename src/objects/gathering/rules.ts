// The rules of a room: which group a new sample belongs to, whether it repeats another sample, and which
// groups are due. Pure: receives the time as an argument, and depends on neither texts, storage nor
// connections.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import {
  addMember,
  attach,
  closing,
  due,
  isFull,
  isLacking,
  isOver,
  isRepetition,
  openGroup,
  releaseTimes,
  sendAway,
} from "./group.ts";
import type { Arrival, GroupState, RoomState } from "./group-state.ts";
import {
  addUndecided,
  decidable,
  equalWaiters,
  letsUndecidedGo,
  release,
  undecidedIn,
  undecidedOf,
} from "./undecided.ts";

/** An API contract's deadline as a share of its client's timeout; see ../../api/tools/shared/deadlines.ts. */
const ANSWER_SHARE = 0.8;

/** A sample's slot in a group. */
export interface MemberSlot {
  epoch: number;
  member: number;
  /** The sample is a new member, whose text must be stored. */
  added: boolean;
  /** Another request added this member. */
  attached: boolean;
  /** The answer is already available. */
  ready: boolean;
}

/**
 * `held`: undecided whether the request repeats an open one. The waiters in `lost` are from before a restart
 * and must rejoin first.
 */
type Arrived = { kind: "placed"; place: MemberSlot } | { kind: "held"; lost: string[] };

/**
 * Restores a room after a restart. Waiters may rejoin; requests without a slot arrive again. An answer
 * delivered shortly before counts as delivered now: the restart may have cut the reply, so a repeated request
 * may be a retry.
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
 * Counts a rejected sample as arrived, once per body, in the group it would have joined, so that the other
 * members do not wait for it. Returns that group.
 */
export function refuse(room: RoomState, { body_hash }: Pick<Arrival, "body_hash">): GroupState | null {
  if ([room, ...room.groups].some(({ refused }) => refused.includes(body_hash))) return null;
  const last = room.groups.findLast((group) => isLacking(group));
  (last ?? room).refused.push(body_hash);
  return last ?? null;
}

/**
 * Finds the slot of an arriving sample.
 * @param requireSpace called before a member is added; may throw to reject it
 * @throws ApiError `overloaded` when the room holds room_members_max members
 */
export function arrive(room: RoomState, arrival: Arrival, now: number, requireSpace = () => {}): Arrived {
  const back = returning(room, arrival, now);
  if (back !== null) return back;
  const { body_hash } = arrival;
  const before = undecidedOf(room, body_hash);
  const place = repeated(room, arrival, now, before.length > 0);
  if (place !== null) return { kind: "placed", place };
  const waiting = equalWaiters(room, body_hash);
  if (waiting.length + before.length === 0)
    return { kind: "placed", place: newcomer(room, arrival, now, requireSpace) };
  addUndecided(room, arrival, now);
  return { kind: "held", lost: waiting.flatMap(({ waiter }) => (waiter.lost ? [waiter.waiter_id] : [])) };
}

/**
 * Assigns an undecided request to a slot, once no equal request is open or all earlier ones have proved to be
 * connected. Returns null if the request has left.
 */
export function settle(room: RoomState, waiterId: string, now: number, requireSpace = () => {}): MemberSlot | null {
  const found = release(room, waiterId);
  if (found === null) return null;
  const answer_within_ms = Math.max(1, found.arrival.answer_within_ms - (now - found.since));
  const arrival = { ...found.arrival, answer_within_ms };
  return repeated(room, arrival, now, false) ?? newcomer(room, arrival, now, requireSpace);
}

/** Waiter ids of undecided requests that can be assigned now, in order. */
export const settleable = (room: RoomState): string[] => decidable(room).map(({ arrival }) => arrival.waiter_id);

/**
 * Removes a waiter whose client has disconnected or whose time is over. Its member stays and counts. Returns
 * the changed group.
 */
export function leave(room: RoomState, waiterId: string): GroupState | null {
  release(room, waiterId);
  const group = room.groups.find(({ waiters }) => waiters.some(({ waiter_id }) => waiter_id === waiterId));
  if (group === undefined) return null;
  group.waiters = group.waiters.filter(({ waiter_id }) => waiter_id !== waiterId);
  return group;
}

/**
 * The groups to judge now, or to score before duplicate requests are resolved, with the reason. Drops waiters
 * whose time is over.
 */
export function dueGroups(room: RoomState, now: number) {
  for (const group of room.groups) group.waiters = group.waiters.filter(({ answer_by }) => answer_by > now);
  return room.groups.flatMap((group) => {
    const found = due(group, undecidedIn(room, group).length, now);
    return found === null ? [] : [{ group, ...found }];
  });
}

/** Releases waiters of incomplete groups whose time is over. Returns them and the changed groups. */
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

/** Time of the next release; null if none is scheduled. */
export function letsGoAt(room: RoomState): number | null {
  const waiters = room.groups.flatMap((group) => releaseTimes(group));
  return earliest([...waiters, ...letsUndecidedGo(room)].map(({ at }) => at));
}

/** Removes the groups that can no longer be requested, and returns their epochs. */
export function forget(room: RoomState, now: number): number[] {
  const over = room.groups.filter((group) => isOver(group, now));
  room.groups = room.groups.filter((group) => !over.includes(group));
  return over.map(({ epoch }) => epoch);
}

/** Earliest time at which a gathering group closes if no member arrives; null if no group is gathering. */
export function closesAt(room: RoomState): number | null {
  const gathers = ({ judging, telling_apart }: GroupState) => judging === null && !telling_apart;
  return earliest(room.groups.filter(gathers).flatMap((group) => closing(group)?.at ?? []));
}

/** Time of the next action if no request arrives, including expiry; null if the room is empty. */
export function wakesAt(room: RoomState): number | null {
  const idle = room.groups.filter((group) => group.judging === null && closing(group) === null);
  const over = idle.map(({ forget_at, waiters }) => Math.max(forget_at, ...waiters.map(({ answer_by }) => answer_by)));
  return earliest([closesAt(room) ?? [], ...over].flat());
}

const earliest = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));

/** Handles the same request after its connection to the room broke. */
function returning(room: RoomState, arrival: Arrival, now: number): Arrived | null {
  const { waiter_id } = arrival;
  if (room.undecided.some((other) => other.arrival.waiter_id === waiter_id)) return { kind: "held", lost: [] };
  for (const group of room.groups) {
    const { epoch, members, waiters } = group;
    const waiter = waiters.find((other) => other.waiter_id === waiter_id);
    const member = waiter?.member ?? members.findIndex((other) => other.waiter_id === waiter_id);
    if (member < 0) continue;
    if (waiter !== undefined) waiter.lost = false;
    // A waiter that was being probed when the room restarted can be answered now.
    const answered = members[member]?.answer === "reward";
    if (answered) group.waiters = waiters.filter((other) => other !== waiter);
    const ready = answered || (waiter === undefined && attach(group, member, arrival, now));
    const attached = members[member]?.waiter_id !== waiter_id;
    return { kind: "placed", place: { epoch, member, added: false, attached, ready } };
  }
  return null;
}

const isOpen = (answer: string) => answer === "none" || answer === "failed";

/**
 * Attaches to an equal member whose answer no client has received: preferably an unanswered one without a
 * waiter, else an answered one. While earlier equal arrivals are undecided, the unanswered members are
 * reserved for them. A client that has its answer does not ask again, so a sample equal to a delivered one is
 * a separate sample, from a later epoch of the trainer.
 */
function repeated(room: RoomState, arrival: Arrival, now: number, othersFirst: boolean): MemberSlot | null {
  const equal = room.groups.flatMap((group) =>
    group.members.flatMap(({ body_hash, answer, told_at }, member) =>
      body_hash === arrival.body_hash && told_at === null ? [{ group, member, answer, open: isOpen(answer) }] : [],
    ),
  );
  const free = equal.filter(({ group, member }) => !group.waiters.some((waiter) => waiter.member === member));
  const left = othersFirst ? undefined : free.findLast(({ open }) => open);
  const rewarded = free.findLast(({ answer }) => answer === "reward");
  const found = left ?? rewarded ?? free.findLast(({ open }) => !open);
  if (found === undefined) return null;
  const { group, member } = found;
  const ready = attach(group, member, arrival, now);
  return { epoch: group.epoch, member, added: false, attached: true, ready };
}

/** The last rewarded member with this body. */
export function rewardedMember(room: RoomState, bodyHash: string): { epoch: number; member: number } | null {
  for (const { epoch, members } of room.groups.toReversed()) {
    const member = members.findLastIndex(({ body_hash, answer }) => body_hash === bodyHash && answer === "reward");
    if (member >= 0) return { epoch, member };
  }
  return null;
}

/** Adds the sample to the last group while that accepts members, otherwise to a new group. */
function newcomer(room: RoomState, arrival: Arrival, now: number, requireSpace: () => void): MemberSlot {
  requireSpace();
  if (room.groups.reduce((sum, { members }) => sum + members.length, 0) >= LIMITS.room_members_max) {
    const limit = `room_members_max = ${LIMITS.room_members_max}`;
    throw new ApiError(
      "overloaded",
      `This prompt's room already has ${limit} samples; send step or run_id with the requests.`,
    );
  }
  const delivered_at = lastDelivered(room, arrival.body_hash);
  const last = room.groups.findLast((group) => !isRepetition(group) || !isFull(group));
  // A group never contains both a delivered sample and its repetition.
  const apart =
    delivered_at !== null &&
    last?.members.some(({ body_hash, told_at }) => told_at !== null && body_hash === arrival.body_hash);
  const next = () => openGroup((room.groups.at(-1)?.epoch ?? -1) + 1, arrival, room.refused.splice(0));
  const group = last !== undefined && !apart && takes(last, arrival, now) ? last : next();
  if (group !== last) room.groups.push(group);
  const member = addMember(group, arrival, now, delivered_at !== null);
  // This soon after delivery the sample may be a retry of a client whose disconnect went unnoticed, so it
  // does not wait for a whole window.
  if (delivered_at !== null && isRepetition(group) && now - delivered_at < LIMITS.room_hold_after_ms) {
    group.window_ends = Math.min(group.window_ends, now + LIMITS.room_hold_ms);
  }
  return { epoch: group.epoch, member, added: true, attached: false, ready: false };
}

/** When the reward of a sample with this body was last delivered; null if never. */
function lastDelivered({ groups }: RoomState, bodyHash: string): number | null {
  const times = groups.flatMap(({ members }) =>
    members.flatMap(({ body_hash, answer, told_at }) =>
      body_hash === bodyHash && answer === "reward" && told_at !== null ? [told_at] : [],
    ),
  );
  return times.length === 0 ? null : Math.max(...times);
}

/**
 * Whether the group accepts members. After the last judgement it accepts late members for as long as a client
 * waits.
 */
function takes(group: GroupState, { answer_within_ms }: Arrival, now: number): boolean {
  if (isFull(group)) return false;
  if (group.judging !== null || group.judged_at === null || group.members.length > group.judged) return true;
  return now <= group.judged_at + answer_within_ms / ANSWER_SHARE;
}

/** Removes all waiters and all groups. */
export function forgetAll({ groups, undecided }: RoomState): void {
  for (const group of groups.splice(0)) group.waiters = [];
  undecided.length = 0;
}
