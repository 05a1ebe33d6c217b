// Judgements of a gathered group: when they begin, and how they change the group. Pure: receives the time as an
// argument.
import type { GroupClosed } from "./gathering.ts";
import { keep } from "./group.ts";
import type { AnswerState, GroupState, Judgement, MemberState, WaiterState } from "./group-state.ts";

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
