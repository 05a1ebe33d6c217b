// A room's decisions: which group an arriving sample belongs to, whether it repeats one, and what is due.
// Pure: times are given; knows no texts, no storage, no connections.
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

/** A contract's deadline as a share of its client's wait; see ../../api/tools/shared/deadlines.ts. */
const ANSWER_SHARE = 0.8;

/** A sample's place. */
export interface MemberSlot {
  epoch: number;
  member: number;
  /** It is a member that was not there before: its text is to be stored. */
  added: boolean;
  /** Another request brought this member. */
  attached: boolean;
  /** The answer is there already. */
  ready: boolean;
}

/**
 * `held`: whether it repeats a request that is waited for shows later; of these `lost` ones have to
 * join again first.
 */
type Arrived = { kind: "placed"; place: MemberSlot } | { kind: "held"; lost: string[] };

/**
 * The room as an earlier life left it. Waiters may join again; those not placed yet come anew. An answer
 * delivered shortly before counts as delivered just now: the reply may have ended with that life, so that its
 * repetition may be a retry.
 */
export function restoredRoom(groups: readonly GroupState[], now: number): RoomState {
  for (const group of groups) {
    group.telling_apart = false;
    // A group stored before refusals were counted has none.
    group.refused ??= [];
    for (const waiter of group.waiters) waiter.lost = true;
    for (const member of group.members) if (now - (member.told_at ?? 0) < LIMITS.room_told_ms) member.told_at = now;
  }
  return { groups: [...groups].sort((a, b) => a.epoch - b.epoch), undecided: [], refused: [] };
}

/**
 * A refused sample counts as arrived, once however often it is sent: in the group that it would
 * have been in, so that its neighbours are not kept waiting. Returns that group.
 */
export function refuse(room: RoomState, { body_hash }: Pick<Arrival, "body_hash">): GroupState | null {
  if ([room, ...room.groups].some(({ refused }) => refused.includes(body_hash))) return null;
  const last = room.groups.findLast((group) => isLacking(group));
  (last ?? room).refused.push(body_hash);
  return last ?? null;
}

/**
 * @param requireSpace called before a member is added; may throw to refuse it
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
 * The place of an undecided request, now that nothing equal is waited for, or that everybody before
 * it has proved to be there. null when it has left.
 */
export function settle(room: RoomState, waiterId: string, now: number, requireSpace = () => {}): MemberSlot | null {
  const found = release(room, waiterId);
  if (found === null) return null;
  const answer_within_ms = Math.max(1, found.arrival.answer_within_ms - (now - found.since));
  const arrival = { ...found.arrival, answer_within_ms };
  return repeated(room, arrival, now, false) ?? newcomer(room, arrival, now, requireSpace);
}

/** Those undecided whose place shows by now, in order. */
export const settleable = (room: RoomState): string[] => decidable(room).map(({ arrival }) => arrival.waiter_id);

/**
 * A waiter's client has gone, or its time is over. Its member stays and counts. Returns the group
 * that changed.
 */
export function leave(room: RoomState, waiterId: string): GroupState | null {
  release(room, waiterId);
  const group = room.groups.find(({ waiters }) => waiters.some(({ waiter_id }) => waiter_id === waiterId));
  if (group === undefined) return null;
  group.waiters = group.waiters.filter(({ waiter_id }) => waiter_id !== waiterId);
  return group;
}

/**
 * The groups to be judged now and why, or to be scored before equal requests are distinguished. Drops waiters
 * whose time is over.
 */
export function dueGroups(room: RoomState, now: number) {
  for (const group of room.groups) group.waiters = group.waiters.filter(({ answer_by }) => answer_by > now);
  return room.groups.flatMap((group) => {
    const found = due(group, undecidedIn(room, group).length, now);
    return found === null ? [] : [{ group, ...found }];
  });
}

/** Lets those of incomplete groups go whose time for it has come: them, and the groups changed. */
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

/** When the next is let go; null when none is to be. */
export function letsGoAt(room: RoomState): number | null {
  const waiters = room.groups.flatMap((group) => releaseTimes(group));
  return earliest([...waiters, ...letsUndecidedGo(room)].map(({ at }) => at));
}

/** Drops the groups that cannot be asked for any more, and returns their epochs. */
export function forget(room: RoomState, now: number): number[] {
  const over = room.groups.filter((group) => isOver(group, now));
  room.groups = room.groups.filter((group) => !over.includes(group));
  return over.map(({ epoch }) => epoch);
}

/** When a gathering group closes if no member comes before; null when none gathers. */
export function closesAt(room: RoomState): number | null {
  const gathers = ({ judging, telling_apart }: GroupState) => judging === null && !telling_apart;
  return earliest(room.groups.filter(gathers).flatMap((group) => closing(group)?.at ?? []));
}

/**
 * When there is something to do if nothing comes before, forgetting included; null when the room is
 * empty.
 */
export function wakesAt(room: RoomState): number | null {
  const idle = room.groups.filter((group) => group.judging === null && closing(group) === null);
  const over = idle.map(({ forget_at, waiters }) => Math.max(forget_at, ...waiters.map(({ answer_by }) => answer_by)));
  return earliest([closesAt(room) ?? [], ...over].flat());
}

const earliest = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));

/** The same request again, after its connection to the room broke. */
function returning(room: RoomState, arrival: Arrival, now: number): Arrived | null {
  const { waiter_id } = arrival;
  if (room.undecided.some((other) => other.arrival.waiter_id === waiter_id)) return { kind: "held", lost: [] };
  for (const group of room.groups) {
    const { epoch, members, waiters } = group;
    const waiter = waiters.find((other) => other.waiter_id === waiter_id);
    const member = waiter?.member ?? members.findIndex((other) => other.waiter_id === waiter_id);
    if (member < 0) continue;
    if (waiter !== undefined) waiter.lost = false;
    // A waiter that had to prove its connection when the room's earlier life ended has its answer.
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
 * Attaches to an equal member whose answer no client has had: first to one without a waiter, then to one that
 * is answered. While equal arrivals are undecided the first kind is theirs. A client that has its answer does
 * not ask again: a sample equal to such a one is another, of a trainer's later epoch.
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

/** The last member with such a body that has its reward. */
export function rewardedMember(room: RoomState, bodyHash: string): { epoch: number; member: number } | null {
  for (const { epoch, members } of room.groups.toReversed()) {
    const member = members.findLastIndex(({ body_hash, answer }) => body_hash === bodyHash && answer === "reward");
    if (member >= 0) return { epoch, member };
  }
  return null;
}

/** The last group while it takes members, else the next. */
function newcomer(room: RoomState, arrival: Arrival, now: number, requireSpace: () => void): MemberSlot {
  requireSpace();
  if (room.groups.reduce((sum, { members }) => sum + members.length, 0) >= LIMITS.room_members_max) {
    const limit = `room_members_max = ${LIMITS.room_members_max}`;
    throw new ApiError(
      "overloaded",
      `This prompt's room holds ${limit} samples; send step or run_id with the requests.`,
    );
  }
  const delivered_at = lastDelivered(room, arrival.body_hash);
  const last = room.groups.findLast((group) => !isRepetition(group) || !isFull(group));
  // A sample whose answer a client has had is never in a group with its repetition.
  const apart =
    delivered_at !== null &&
    last?.members.some(({ body_hash, told_at }) => told_at !== null && body_hash === arrival.body_hash);
  const next = () => openGroup((room.groups.at(-1)?.epoch ?? -1) + 1, arrival, room.refused.splice(0));
  const group = last !== undefined && !apart && takes(last, arrival, now) ? last : next();
  if (group !== last) room.groups.push(group);
  const member = addMember(group, arrival, now, delivered_at !== null);
  // So soon after its answer it may be a retry after all, whose client went unnoticed; such a one
  // shall not wait for a whole window.
  if (delivered_at !== null && isRepetition(group) && now - delivered_at < LIMITS.room_hold_after_ms) {
    group.window_ends = Math.min(group.window_ends, now + LIMITS.room_hold_ms);
  }
  return { epoch: group.epoch, member, added: true, attached: false, ready: false };
}

/** When the reward of a sample with such a body was last delivered; null when never. */
function lastDelivered({ groups }: RoomState, bodyHash: string): number | null {
  const times = groups.flatMap(({ members }) =>
    members.flatMap(({ body_hash, answer, told_at }) =>
      body_hash === bodyHash && answer === "reward" && told_at !== null ? [told_at] : [],
    ),
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** After the last judgement a group takes late members for as long as a client waits. */
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
