// Owns one gathered group: its members, who waits for them, when it closes and what a judgement leaves behind. Times are given, never read; knows no texts and no storage.
import type { GatheredSample, GroupClosed } from "./gathering.ts";
import { LIMITS } from "./limits.ts";

/** What deciding needs to know of an arriving sample; its texts are the storage's. */
export type Arrival = Pick<
  GatheredSample,
  "waiter_id" | "body_hash" | "group_size" | "window_ms" | "answer_within_ms" | "retain_ms"
>;

/** `alone`: nobody to compare with, until somebody comes. `failed`: no reward was had; asking again may help. */
export type AnswerState = "none" | "reward" | "alone" | "failed";

export interface MemberState {
  body_hash: string;
  /** The request that brought it; any other with the same body repeats it. */
  waiter_id: string;
  /** It came when a judgement of its group had begun or was over. */
  late: boolean;
  answer: AnswerState;
}

/** One that has left is no longer listed. Times are ms since 1970. */
export interface WaiterState {
  waiter_id: string;
  member: number;
  gather_by: number;
  answer_by: number;
}

export interface Judgement {
  request_id: string;
  /** The first so many members are judged. */
  members: number;
  closed: GroupClosed;
  answer_by: number;
}

/** Plain data, as it is stored: the members' texts and answers are kept apart. */
export interface GroupState {
  /** Counts the groups of a room, from 0. */
  epoch: number;
  /** Members that make it complete; null when only time closes it. */
  size: number | null;
  members: MemberState[];
  /** Of members without their answer, in order of arrival. */
  waiters: WaiterState[];
  /** The first so many members have been judged. */
  judged: number;
  judging: Judgement | null;
  /** Why the last judgement began; null before the first. */
  closed: GroupClosed | null;
  /** Somebody asked again for a member whose judgement failed. */
  again: boolean;
  window_ends: number;
  /** How long a judgement may take that nobody waits for. */
  judge_ms: number;
  judged_at: number | null;
  retain_ms: number;
  forget_at: number;
}

/** The part of the answer's time that gathering may take; the rest is for judging. */
const GATHERING_SHARE = 0.5;

export function openGroup(epoch: number, groupSize: number | null): GroupState {
  return {
    epoch,
    size: groupSize,
    members: [],
    waiters: [],
    judged: 0,
    judging: null,
    closed: null,
    again: false,
    window_ends: 0,
    judge_ms: 0,
    judged_at: null,
    retain_ms: 0,
    forget_at: 0,
  };
}

/** Everybody who makes it complete is there; one more begins another group. */
export function isFull({ size, members }: GroupState): boolean {
  return members.length >= Math.min(size ?? LIMITS.rollouts_per_group_max, LIMITS.rollouts_per_group_max);
}

/** Adds a member with its waiter and returns its place. */
export function addMember(group: GroupState, arrival: Arrival, now: number): number {
  const { waiter_id, body_hash } = arrival;
  const late = group.judging !== null || group.judged > 0;
  openWindow(group, arrival, now);
  const member = group.members.push({ body_hash, waiter_id, late, answer: "none" }) - 1;
  addWaiter(group, member, arrival, now);
  return member;
}

function openWindow(group: GroupState, { window_ms, answer_within_ms }: Arrival, now: number): void {
  group.window_ends = now + window_ms;
  group.judge_ms = answer_within_ms * (1 - GATHERING_SHARE);
}

export function addWaiter(group: GroupState, member: number, arrival: Arrival, now: number): void {
  const { waiter_id, answer_within_ms } = arrival;
  const gather_by = now + answer_within_ms * GATHERING_SHARE;
  group.waiters.push({ waiter_id, member, gather_by, answer_by: now + answer_within_ms });
  keep(group, arrival.retain_ms, now);
}

function keep(group: GroupState, retainMs: number, now: number): void {
  group.retain_ms = Math.max(group.retain_ms, retainMs);
  group.forget_at = Math.max(group.forget_at, now + group.retain_ms);
}

/**
 * Attaches a repetition to a member. Returns true when the answer is there already; else it waits: a judgement that failed is wanted
 * again, and a sample that was alone is gathered again, for a trainer's rollouts of one prompt may end minutes apart.
 */
export function attach(group: GroupState, member: number, arrival: Arrival, now: number): boolean {
  const { answer } = group.members[member] as MemberState;
  const moreComing = group.judging !== null || group.members.length > group.judged;
  keep(group, arrival.retain_ms, now);
  if (answer === "reward") return true;
  if (answer === "alone" && !moreComing) {
    if (isFull(group)) return true;
    gatherAgain(group, arrival, now);
  }
  addWaiter(group, member, arrival, now);
  if (answer === "failed" && group.judging === null) group.again = true;
  return false;
}

/** As if its one member had just come. */
function gatherAgain(group: GroupState, arrival: Arrival, now: number): void {
  for (const member of group.members) member.answer = "none";
  group.judged = 0;
  openWindow(group, arrival, now);
}

/** When gathering ends, and why; null while nobody waits to be judged. */
export function closing({
  members,
  waiters,
  judged,
  window_ends,
}: GroupState): { at: number; why: GroupClosed } | null {
  if (members.length === judged) return null;
  const deadline = Math.min(...waiters.filter(({ member }) => member >= judged).map(({ gather_by }) => gather_by));
  return deadline < window_ends ? { at: deadline, why: "deadline" } : { at: window_ends, why: "window" };
}

/** Why the group is to be judged now, or null. `held`: a request's place is not decided yet, so the window waits for it. */
export function due(group: GroupState, held: boolean, now: number): GroupClosed | null {
  if (group.judging !== null) return null;
  const end = closing(group);
  if (end !== null && isFull(group)) return "full";
  if (group.again) return group.closed ?? "window";
  if (end === null || now < end.at || (held && end.why === "window")) return null;
  return end.why;
}

/** Begins a judgement of all members there are; it must end in time for the first who waits. */
export function begin(group: GroupState, requestId: string, closed: GroupClosed, now: number): Judgement {
  group.again = false;
  group.judging = { request_id: requestId, members: group.members.length, closed, answer_by: answerBy(group, now) };
  return group.judging;
}

/** Takes up the judgement that an earlier life of the room began, if there is one, under the same id. */
export function resume(group: GroupState, now: number): Judgement | null {
  if (group.judging !== null) group.judging.answer_by = answerBy(group, now);
  return group.judging;
}

function answerBy({ waiters, judge_ms }: GroupState, now: number): number {
  const waited = waiters.map(({ answer_by }) => answer_by).filter((at) => at > now);
  return waited.length > 0 ? Math.min(...waited) : now + judge_ms;
}

/** What a judgement changes: the members whose answer is new, and the waiters who get theirs (they are no longer listed). */
export interface Finished {
  answered: number[];
  waiters: WaiterState[];
}

/** Ends the judgement. A reward that was answered stays; what had none takes the new answer. */
export function finish(group: GroupState, answers: readonly AnswerState[], now: number): Finished {
  const { members, closed } = group.judging as Judgement;
  const answered: number[] = [];
  for (const [i, member] of group.members.slice(0, members).entries()) {
    if (member.answer === "reward") continue;
    member.answer = answers[i] as AnswerState;
    answered.push(i);
  }
  const waiters = group.waiters.filter(({ member }) => member < members);
  group.waiters = group.waiters.filter(({ member }) => member >= members);
  Object.assign(group, { judged: members, judging: null, closed, judged_at: now });
  keep(group, group.retain_ms, now);
  return { answered, waiters };
}

/** Every place is taken and has its reward: it will never be judged again. */
export function isComplete(group: GroupState): boolean {
  return isFull(group) && group.members.every(({ answer }) => answer === "reward");
}

/** Nothing is under way and nobody can come back for an answer. */
export function isOver(group: GroupState, now: number): boolean {
  const idle = group.judging === null && group.members.length === group.judged && !group.again;
  return idle && group.waiters.length === 0 && now >= group.forget_at;
}
