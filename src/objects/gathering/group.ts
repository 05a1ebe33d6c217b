// The state machine of one gathered group: its members (samples), its waiters (open requests), when it
// closes, and what a judgement changes. Pure: receives the time as an argument and does no I/O.
import { LIMITS } from "../../core/faults/limits.ts";
import type { GroupClosed } from "./gathering.ts";
import type { AnswerState, Arrival, GroupState, Judgement, MemberState, WaiterState } from "./group-state.ts";

/** A time in the infinite future that, unlike Infinity, can be represented in JSON. */
const NEVER = Number.MAX_SAFE_INTEGER;

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
function expectsNobody(group: GroupState): boolean {
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

function keep(group: GroupState, retainMs: number, now: number): void {
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

/** Whether a waiter's member has not been judged yet, or was the only one that was judged. */
const waits =
  ({ judged, members }: GroupState) =>
  ({ member, lost }: WaiterState) =>
    !lost && (member >= judged || members[member]?.answer === "alone");

/**
 * When gathering ends and why; null if no end is scheduled. An incomplete group of known size has no end once
 * all its clients have disconnected: the samples stay stored until the last one arrives, or until time runs
 * out for a client that has no attempts left.
 */
export function closing(group: GroupState): { at: number; why: GroupClosed } | null {
  const { members, waiters, judged, window_ends } = group;
  if (members.length === judged) return null;
  const lacking = isLacking(group);
  const waiting = waiters.filter(waits(group));
  if (lacking && waiting.length === 0) return null;
  const last = lacking ? waiting.filter(({ let_go_after }) => let_go_after === null) : waiting;
  const deadline = Math.min(NEVER, ...last.map(({ gather_by }) => gather_by));
  if (deadline === NEVER && window_ends === NEVER && lacking) return null;
  return deadline < window_ends ? { at: deadline, why: "deadline" } : { at: window_ends, why: "window" };
}

/**
 * When the waiters of an incomplete group are answered with `gathering`. Their samples stay in the group, and
 * their connections become free, since the client may need them to send the missing samples. At the latest,
 * waiters are answered at the gathering deadline and wait again in their next attempt.
 */
export function releaseTimes(group: GroupState): { waiter: WaiterState; at: number }[] {
  if (!isLacking(group) || group.telling_apart) return [];
  return group.waiters.filter(waits(group)).flatMap((waiter) => {
    const { let_go_after, since, gather_by } = waiter;
    if (let_go_after === null) return [];
    return [{ waiter, at: Math.min(gather_by, Math.max(since, group.last_at) + let_go_after) }];
  });
}

/** Removes the waiters to be answered with `gathering` by now, and returns their ids. */
export function sendAway(group: GroupState, now: number): string[] {
  const gone = releaseTimes(group).flatMap(({ waiter, at }) => (at <= now ? [waiter] : []));
  group.waiters = group.waiters.filter((waiter) => !gone.includes(waiter));
  return gone.map(({ waiter_id }) => waiter_id);
}

/** Whether every member of the group repeats a sample whose client has already received an answer. */
export const isRepetition = ({ members }: GroupState) => members.every(({ seen_before }) => seen_before);

/**
 * What to do with the group now, and why; null: nothing. With `scores`, the members are only scored at first,
 * so that unresolved duplicate requests can be resolved before the group is judged.
 * @param equals number of unresolved requests that equal one of the group's requests
 */
export function due(group: GroupState, equals: number, now: number): { scores: boolean; closed: GroupClosed } | null {
  const { judging, telling_apart, size, members } = group;
  if (judging !== null || telling_apart) return null;
  const end = closing(group);
  if (end !== null && expectsNobody(group)) return { scores: false, closed: "full" };
  if (group.retry_requested) return { scores: false, closed: group.closed ?? "window" };
  const waited = equals > 0 && members.length > group.judged;
  if (waited && members.length + equals >= (size ?? Infinity)) return { scores: true, closed: "full" };
  return end === null || now < end.at ? null : { scores: equals > 0, closed: end.why };
}

/** Creates a judgement of all current members, with the earliest deadline of the waiters. */
export function judgementOf(group: GroupState, requestId: string, closed: GroupClosed, now: number): Judgement {
  return { request_id: requestId, members: group.members.length, closed, answer_by: answerBy(group, now) };
}

/** Starts a judgement of all current members. */
export function begin(group: GroupState, requestId: string, closed: GroupClosed, now: number): Judgement {
  Object.assign(group, { retry_requested: false, scored_as: null });
  group.judging = judgementOf(group, requestId, closed, now);
  return group.judging;
}

/** Resumes a judgement that a restart interrupted, under the same id; null if none was running. */
export function resume(group: GroupState, now: number): Judgement | null {
  if (group.judging !== null) group.judging.answer_by = answerBy(group, now);
  return group.judging;
}

function answerBy({ waiters, judge_ms }: GroupState, now: number): number {
  const waited = waiters.flatMap(({ answer_by, lost }) => (!lost && answer_by > now ? [answer_by] : []));
  return waited.length > 0 ? Math.min(...waited) : now + judge_ms;
}

/** The effects of a judgement: the members with a new answer, and the waiters to answer now. */
interface Finished {
  answered: number[];
  waiters: WaiterState[];
}

/**
 * Ends the judgement. Members that already have a reward keep it; the others get the new answer.
 * @param doubted body hashes with an unresolved equal request; waiters for their rewards stay in the group
 */
export function finish(
  group: GroupState,
  answers: readonly AnswerState[],
  doubted: ReadonlySet<string>,
  now: number,
): Finished {
  const { members, closed } = group.judging as Judgement;
  const answered: number[] = [];
  for (const [i, member] of group.members.slice(0, members).entries()) {
    if (member.answer === "reward") continue;
    member.answer = answers[i] as AnswerState;
    answered.push(i);
  }
  const answerable = ({ member }: WaiterState) => {
    const { answer, body_hash } = group.members[member] as MemberState;
    return member < members && !(answer === "reward" && doubted.has(body_hash));
  };
  const waiters = group.waiters.filter(answerable);
  group.waiters = group.waiters.filter((waiter) => !answerable(waiter));
  Object.assign(group, { judged: members, judging: null, closed, judged_at: now });
  keep(group, group.retain_ms, now);
  return { answered, waiters };
}

/** Whether the group is full and every member has its reward, so that it will never be judged again. */
export function isComplete(group: GroupState): boolean {
  return isFull(group) && group.members.every(({ answer }) => answer === "reward");
}

/**
 * Records that an answer was sent to the waiter's client. Only a reward, or a failure that the client accepts
 * as final, counts as delivered.
 */
export function markDelivered(
  group: GroupState,
  { member, takes_failure }: Pick<WaiterState, "member" | "takes_failure">,
  now: number,
): void {
  const state = group.members[member] as MemberState;
  if (state.answer === "reward" || takes_failure) state.told_at = now;
}

/** Whether the group is idle and so old that no client will return for an answer. */
export function isOver(group: GroupState, now: number): boolean {
  const idle = group.judging === null && closing(group) === null && !group.retry_requested;
  return idle && group.waiters.length === 0 && now >= group.forget_at;
}
