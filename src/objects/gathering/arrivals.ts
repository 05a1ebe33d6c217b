// Which group a new sample belongs to, and whether it repeats another sample. Pure: receives the time as an
// argument and does no I/O.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { addMember, attach, isFull, isLacking, isRepetition, openGroup } from "./group.ts";
import type { Arrival, GroupState, RoomState } from "./group-state.ts";
import { addUndecided, decidable, equalWaiters, release, undecidedOf } from "./undecided.ts";

/** Ratio of a route's deadline to its client's timeout; see ../../api/tools/shared/deadlines.ts. */
const ANSWER_SHARE = 0.8;

/** A sample's slot in a group. */
export interface MemberSlot {
  epoch: number;
  member: number;
  /** The sample is a new member, so its content must be stored. */
  added: boolean;
  /** The member was added by another request. */
  attached: boolean;
  /** The answer is already available. */
  ready: boolean;
}

/**
 * Result of an arrival. `held`: it is undecided whether the request repeats an open one. `lost` lists equal
 * waiters that were restored after a restart and have not joined again yet.
 */
type Arrived = { kind: "placed"; place: MemberSlot } | { kind: "held"; lost: string[] };

/**
 * Counts a rejected sample as arrived in the group that it would have joined, so that the other members do
 * not wait for the sample. Counts each body once. Returns the group, or null if none has changed.
 */
export function refuse(room: RoomState, { body_hash }: Pick<Arrival, "body_hash">): GroupState | null {
  if ([room, ...room.groups].some(({ refused }) => refused.includes(body_hash))) return null;
  const last = room.groups.findLast((group) => isLacking(group));
  (last ?? room).refused.push(body_hash);
  return last ?? null;
}

/**
 * Finds the slot for an arriving sample.
 * @param requireSpace called before a new member is added; may throw to reject the sample
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
 * Assigns an undecided request to a slot. Called once no equal request is open, or the clients of all earlier
 * equal requests have proved to be connected. Returns null if the request's client has disconnected.
 */
export function settle(room: RoomState, waiterId: string, now: number, requireSpace = () => {}): MemberSlot | null {
  const found = release(room, waiterId);
  if (found === null) return null;
  const answer_within_ms = Math.max(1, found.arrival.answer_within_ms - (now - found.since));
  const arrival = { ...found.arrival, answer_within_ms };
  return repeated(room, arrival, now, false) ?? newcomer(room, arrival, now, requireSpace);
}

/** Waiter ids of the undecided requests that can be assigned to slots now, in order of arrival. */
export const settleable = (room: RoomState): string[] => decidable(room).map(({ arrival }) => arrival.waiter_id);

/**
 * Removes a waiter whose client has disconnected or whose deadline has passed. Its sample stays in the group.
 * Returns the changed group.
 */
export function leave(room: RoomState, waiterId: string): GroupState | null {
  release(room, waiterId);
  const group = room.groups.find(({ waiters }) => waiters.some(({ waiter_id }) => waiter_id === waiterId));
  if (group === undefined) return null;
  group.waiters = group.waiters.filter(({ waiter_id }) => waiter_id !== waiterId);
  return group;
}

/** Handles a request that joins again after its connection to the room broke; null for a new request. */
function returning(room: RoomState, arrival: Arrival, now: number): Arrived | null {
  const { waiter_id } = arrival;
  if (room.undecided.some((other) => other.arrival.waiter_id === waiter_id)) return { kind: "held", lost: [] };
  for (const group of room.groups) {
    const { epoch, members, waiters } = group;
    const waiter = waiters.find((other) => other.waiter_id === waiter_id);
    const member = waiter?.member ?? members.findIndex((other) => other.waiter_id === waiter_id);
    if (member < 0) continue;
    if (waiter !== undefined) waiter.lost = false;
    // If the room restarted while this waiter was being probed, its reward can be sent now.
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
 * Attaches the request to an equal member that no client waits for and whose answer no client has received;
 * null if there is none. Prefers members without a reward, but while earlier equal requests are undecided,
 * those are reserved for the earlier requests. Members with a delivered answer are not considered: a client
 * that has its answer does not ask again, so an equal sample is a new one.
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

/** The most recent member that has this body and a reward; null if there is none. */
export function rewardedMember(room: RoomState, bodyHash: string): { epoch: number; member: number } | null {
  for (const { epoch, members } of room.groups.toReversed()) {
    const member = members.findLastIndex(({ body_hash, answer }) => body_hash === bodyHash && answer === "reward");
    if (member >= 0) return { epoch, member };
  }
  return null;
}

/** Adds the sample to the last group if the group accepts members, otherwise to a new group. */
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
  // A group must not contain both a sample whose answer was delivered and its repetition.
  const apart =
    delivered_at !== null &&
    last?.members.some(({ body_hash, told_at }) => told_at !== null && body_hash === arrival.body_hash);
  const next = () => openGroup((room.groups.at(-1)?.epoch ?? -1) + 1, arrival, room.refused.splice(0));
  const group = last !== undefined && !apart && takes(last, arrival, now) ? last : next();
  if (group !== last) room.groups.push(group);
  const member = addMember(group, arrival, now, delivered_at !== null);
  // Shortly after a delivery, an equal sample may be a retry by a client whose disconnect went unnoticed, so
  // the window is shortened.
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
 * Whether the group accepts members. A judged group accepts late members until the client's timeout, counted
 * from the last judgement, has passed.
 */
function takes(group: GroupState, { answer_within_ms }: Arrival, now: number): boolean {
  if (isFull(group)) return false;
  if (group.judging !== null || group.judged_at === null || group.members.length > group.judged) return true;
  return now <= group.judged_at + answer_within_ms / ANSWER_SHARE;
}
