// One gathered group: its members, who waits for them, when it closes and what a judgement leaves behind.
// Times are given, never read; knows no texts and no storage.
import { LIMITS } from "../../core/faults/limits.ts";
import type { GroupClosed } from "./gathering.ts";
import type { AnswerState, Arrival, GroupState, Judgement, MemberState, WaiterState } from "./group-state.ts";

/** As a time that never comes, which JSON can hold. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Tries that a client keeps for what else may go wrong: the one that is judged with who is there,
 * and one more.
 */
const SPARE_TRIES = 2;

/** The part of the answer's time that gathering may take; the rest is for judging. */
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

/** Everybody who makes it complete is there; one more begins another group. */
export function isFull({ size, members }: GroupState): boolean {
  return members.length >= Math.min(size ?? LIMITS.rollouts_per_group_max, LIMITS.rollouts_per_group_max);
}

/** The group waits for no further member: the missing ones were refused. */
function expectsNobody(group: GroupState): boolean {
  const { size, members, refused } = group;
  return isFull(group) || (size !== null && members.length > 0 && members.length + refused.length >= size);
}

/** Adds a member with its waiter and returns its place. `again`: see MemberState. */
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

/** A window as long as gathering may take is none: each waiter's own time tells when it is over. */
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
 * How long the next try for this member waits while its group is incomplete; null: to the end, when
 * it is judged with who is there.
 */
export function patienceOf(
  { tries, abreast }: Pick<MemberState, "tries" | "abreast">,
  arrival: Pick<Arrival, "answer_within_ms" | "patience_ms" | "tries" | "whole_only">,
): number | null {
  const made = Math.floor(tries / abreast);
  const gathering_ms = arrival.answer_within_ms * GATHERING_SHARE;
  if (made + 1 > arrival.tries - SPARE_TRIES) return arrival.whole_only ? gathering_ms : null;
  // Equal requests have to be open at once to be distinguished, so each waits longer than the other's pause,
  // which grows as its patience does.
  const patience_ms = arrival.patience_ms * abreast * 2 ** Math.min(made, 30);
  return Math.min(gathering_ms, patience_ms);
}

function keep(group: GroupState, retainMs: number, now: number): void {
  group.retain_ms = Math.max(group.retain_ms, retainMs);
  group.forget_at = Math.max(group.forget_at, now + group.retain_ms);
}

/**
 * Attaches a repetition to a member. Returns true when the answer is there already; else it waits:
 * a judgement that failed is wanted again, and a sample that was alone, or judged without one that
 * was refused beside its equal, is gathered again: what is missing may be minutes away.
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
  // The others' clients may be as slow to come back as this one was.
  if (isLacking(group) && group.window_ends < now + arrival.window_ms) openWindow(group, arrival, now);
  if (member.answer === "failed" && group.judging === null) group.retry_requested = true;
  return false;
}

/**
 * Judged without any reward, and without a request that was open beside its equal: it was refused as that one
 * was, and comes again as that one does. Whether it is a separate sample shows then.
 */
function lacksTwin(group: GroupState): boolean {
  const { members } = group;
  return (
    !isFull(group) && members.every(({ answer }) => answer === "failed") && members.some(({ abreast }) => abreast > 1)
  );
}

/** As if its members had just come. */
function gatherAgain(group: GroupState, arrival: Arrival, now: number): void {
  for (const member of group.members) member.answer = "none";
  group.judged = 0;
  openWindow(group, arrival, now);
}

/** Its size is known and not reached, and it gathers. */
export const isLacking = (group: GroupState) => group.size !== null && group.judging === null && !expectsNobody(group);

/** For a member that has not been judged, or was alone then, and so is judged with those after it. */
const waits =
  ({ judged, members }: GroupState) =>
  ({ member, lost }: WaiterState) =>
    !lost && (member >= judged || members[member]?.answer === "alone");

/**
 * When gathering ends, and why; null while no member waits to be judged. In a group of known size none waits
 * when all connections are gone: its samples have arrived, and are judged when the last one has, or when time
 * is up for one whose client cannot ask again.
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
 * When waiters of an incomplete group are let go. Their places are kept, and their connections are
 * free for what the group lacks; those whose client has connections enough are let go when time is
 * up, and wait on with their next try.
 */
export function releaseTimes(group: GroupState): { waiter: WaiterState; at: number }[] {
  if (!isLacking(group) || group.telling_apart) return [];
  return group.waiters.filter(waits(group)).flatMap((waiter) => {
    const { let_go_after, since, gather_by } = waiter;
    if (let_go_after === null) return [];
    return [{ waiter, at: Math.min(gather_by, Math.max(since, group.last_at) + let_go_after) }];
  });
}

/** Lets those go whose time for it has come, and returns their ids. */
export function sendAway(group: GroupState, now: number): string[] {
  const gone = releaseTimes(group).flatMap(({ waiter, at }) => (at <= now ? [waiter] : []));
  group.waiters = group.waiters.filter((waiter) => !gone.includes(waiter));
  return gone.map(({ waiter_id }) => waiter_id);
}

/** Nothing new has come: all are repetitions of samples whose clients had their answers. */
export const isRepetition = ({ members }: GroupState) => members.every(({ seen_before }) => seen_before);

/**
 * The next action for the group now and why, or null. With equal requests that are not distinguished yet
 * (`equals` of them), which would make it complete or for which time is up, its members are scored first.
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

/** A judgement of all members there are; it must end in time for the first who waits. */
export function judgementOf(group: GroupState, requestId: string, closed: GroupClosed, now: number): Judgement {
  return { request_id: requestId, members: group.members.length, closed, answer_by: answerBy(group, now) };
}

/** Begins it. */
export function begin(group: GroupState, requestId: string, closed: GroupClosed, now: number): Judgement {
  Object.assign(group, { retry_requested: false, scored_as: null });
  group.judging = judgementOf(group, requestId, closed, now);
  return group.judging;
}

/**
 * Takes up the judgement that an earlier life of the room began, if there is one, under the same
 * id.
 */
export function resume(group: GroupState, now: number): Judgement | null {
  if (group.judging !== null) group.judging.answer_by = answerBy(group, now);
  return group.judging;
}

function answerBy({ waiters, judge_ms }: GroupState, now: number): number {
  const waited = waiters.flatMap(({ answer_by, lost }) => (!lost && answer_by > now ? [answer_by] : []));
  return waited.length > 0 ? Math.min(...waited) : now + judge_ms;
}

/**
 * A judgement's changes: the members whose answer is new, and the waiters who get theirs (they are removed
 * from the list).
 */
interface Finished {
  answered: number[];
  waiters: WaiterState[];
}

/**
 * Ends the judgement. A reward that was answered stays; what had none takes the new answer. The
 * members of `doubted` have requests equal to theirs: who waits for a reward there stays listed.
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

/** Every place is taken and has its reward: it will never be judged again. */
export function isComplete(group: GroupState): boolean {
  return isFull(group) && group.members.every(({ answer }) => answer === "reward");
}

/**
 * Its answer goes to this waiter's client: with a reward, or another answer that it takes for one,
 * it is done.
 */
export function markDelivered(
  group: GroupState,
  { member, takes_failure }: Pick<WaiterState, "member" | "takes_failure">,
  now: number,
): void {
  const state = group.members[member] as MemberState;
  if (state.answer === "reward" || takes_failure) state.told_at = now;
}

/** Nothing is under way and no client can return for an answer. */
export function isOver(group: GroupState, now: number): boolean {
  const idle = group.judging === null && closing(group) === null && !group.retry_requested;
  return idle && group.waiters.length === 0 && now >= group.forget_at;
}
