// The members of one gathered group and its waiters (open requests): who joins, who repeats, and whether anybody
// is missing. Pure: receives the time as an argument and does no I/O.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Arrival, GroupState, MemberState } from "./group-state.ts";

/** A time in the infinite future that, unlike Infinity, can be represented in JSON. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Client attempts held in reserve: one in which an incomplete group is judged, and a spare one. */
const SPARE_TRIES = 2;

/** Share of the time to answer that may be spent on gathering; the rest is for judging. */
const GATHERING_SHARE = 0.5;

export function openGroup(
  epoch: number,
  { group_size, whole_only }: Pick<Arrival, "group_size" | "whole_only">,
  refused: string[] = [],
): GroupState {
  return {
    epoch,
    size: group_size,
    members: [],
    refused,
    whole_only,
    waiters: [],
    judged: 0,
    judging: null,
    closed: null,
    retry_requested: false,
    scored_as: null,
    telling_apart: false,
    window_ends: 0,
    last_at: 0,
    judge_ms: 0,
    judged_at: null,
    retain_ms: 0,
    forget_at: 0,
  };
}

/** Whether the group has all its members, so that the next sample starts a new group. */
export function isFull({ size, members }: GroupState): boolean {
  return members.length >= Math.min(size ?? LIMITS.rollouts_per_group_max, LIMITS.rollouts_per_group_max);
}

/** Whether no further member can arrive, because the group is full or the missing samples were rejected. */
export function expectsNobody(group: GroupState): boolean {
  const { size, members, refused } = group;
  return isFull(group) || (size !== null && members.length > 0 && members.length + refused.length >= size);
}

/**
 * Adds a member and its waiter, and returns the member's index.
 * @param seenBefore see `seen_before` in MemberState
 */
export function addMember(group: GroupState, arrival: Arrival, now: number, seenBefore = false): number {
  const { waiter_id, body_hash } = arrival;
  const late = group.judging !== null || group.judged > 0;
  openWindow(group, arrival, now);
  group.last_at = now;
  const blank = { answer: "none", told_at: null, tries: 0, abreast: 1 } as const;
  const member = group.members.push({ body_hash, waiter_id, late, seen_before: seenBefore, ...blank }) - 1;
  addWaiter(group, member, arrival, now);
  return member;
}

/**
 * Sets the end of the window. If the window is at least as long as the gathering time, each waiter's deadline
 * applies instead.
 */
function openWindow(group: GroupState, { window_ms, answer_within_ms, whole_only }: Arrival, now: number): void {
  const none = whole_only || (group.size !== null && window_ms >= answer_within_ms * GATHERING_SHARE);
  group.window_ends = none ? NEVER : now + window_ms;
  group.judge_ms = answer_within_ms * (1 - GATHERING_SHARE);
}

function addWaiter(group: GroupState, at: number, arrival: Arrival, now: number): void {
  const { waiter_id, answer_within_ms, takes_failure } = arrival;
  const member = group.members[at] as MemberState;
  const gathering_ms = answer_within_ms * GATHERING_SHARE;
  const let_go_after = patienceOf(member, arrival);
  member.tries++;
  const times = { since: now, gather_by: now + gathering_ms, answer_by: now + answer_within_ms };
  group.waiters.push({ waiter_id, member: at, ...times, lost: false, let_go_after, takes_failure });
  keep(group, arrival.retain_ms, now);
}

/**
 * How long the next attempt for this member waits for an incomplete group, in ms. Null: until the gathering
 * deadline, at which the incomplete group is judged.
 */
export function patienceOf(
  { tries, abreast }: Pick<MemberState, "tries" | "abreast">,
  arrival: Pick<Arrival, "answer_within_ms" | "patience_ms" | "tries" | "whole_only">,
): number | null {
  const made = Math.floor(tries / abreast);
  const gathering_ms = arrival.answer_within_ms * GATHERING_SHARE;
  if (made + 1 > arrival.tries - SPARE_TRIES) return arrival.whole_only ? gathering_ms : null;
  // Equal requests can be distinguished only while both are open, so each waits longer than the other client
  // backs off. The waiting time doubles with each attempt because clients' back-off does.
  const patience_ms = arrival.patience_ms * abreast * 2 ** Math.min(made, 30);
  return Math.min(gathering_ms, patience_ms);
}

export function keep(group: GroupState, retainMs: number, now: number): void {
  group.retain_ms = Math.max(group.retain_ms, retainMs);
  group.forget_at = Math.max(group.forget_at, now + group.retain_ms);
}

/**
 * Attaches a repeated request to a member. Returns true if the answer is already available, and otherwise
 * adds a waiter. A failed judgement is repeated. If the sample was alone in its group, or an equal request
 * failed along with it, gathering restarts, because the missing samples may take minutes to arrive.
 */
export function attach(group: GroupState, at: number, arrival: Arrival, now: number): boolean {
  const member = group.members[at] as MemberState;
  const moreComing = group.judging !== null || group.members.length > group.judged;
  keep(group, arrival.retain_ms, now);
  if (member.answer === "reward") return true;
  if (!moreComing && (member.answer === "alone" || lacksTwin(group))) {
    if (expectsNobody(group)) return true;
    gatherAgain(group, arrival, now);
  }
  addWaiter(group, at, arrival, now);
  // The clients of the missing members may return as late as this one, so the window is extended.
  if (isLacking(group) && group.window_ends < now + arrival.window_ms) openWindow(group, arrival, now);
  if (member.answer === "failed" && group.judging === null) group.retry_requested = true;
  return false;
}

/**
 * Whether the group was judged without any reward while equal requests were open. All of them failed and will
 * be repeated, and only then can separate samples be distinguished from retries.
 */
function lacksTwin(group: GroupState): boolean {
  const { members } = group;
  return (
    !isFull(group) && members.every(({ answer }) => answer === "failed") && members.some(({ abreast }) => abreast > 1)
  );
}

/** Restarts gathering as if the members had just joined. */
function gatherAgain(group: GroupState, arrival: Arrival, now: number): void {
  for (const member of group.members) member.answer = "none";
  group.judged = 0;
  openWindow(group, arrival, now);
}

/** Whether the group is gathering, has a known size, and is still missing members. */
export const isLacking = (group: GroupState) => group.size !== null && group.judging === null && !expectsNobody(group);

/** Whether every member of the group repeats a sample whose client has already received an answer. */
export const isRepetition = ({ members }: GroupState) => members.every(({ seen_before }) => seen_before);

/** Whether the group is full and every member has its reward, so that it will never be judged again. */
export function isComplete(group: GroupState): boolean {
  return isFull(group) && group.members.every(({ answer }) => answer === "reward");
}
