// When a gathered group closes, when its waiters are answered with `gathering`, and when it is forgotten. Pure:
// receives the time as an argument.
import type { GroupClosed } from "./gathering.ts";
import { expectsNobody, isLacking, NEVER } from "./group.ts";
import type { GroupState, WaiterState } from "./group-state.ts";

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

/** Whether the group is idle and so old that no client will return for an answer. */
export function isOver(group: GroupState, now: number): boolean {
  const idle = group.judging === null && closing(group) === null && !group.retry_requested;
  return idle && group.waiters.length === 0 && now >= group.forget_at;
}
