// Converts the reply for a judged group into one answer per sample.

import type { RolloutResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { rewardedMember } from "./arrivals.ts";
import { isRepetition } from "./group.ts";
import type { AnswerState, GroupState, Judgement, RoomState, Undecided } from "./group-state.ts";
import type { ScoredGroup } from "./judge-group.ts";
import type { GatheringFault, RoomReply } from "./reply.ts";
import type { Answer, RoomStore } from "./room-store.ts";

/** The answers of the judged members, in order. */
export function answersOf(
  { reply, early, retry_after_ms }: ScoredGroup,
  group: GroupState,
  judgement: Judgement,
): Answer[] {
  const { request_id, warnings, spec_hash, logged } = reply;
  const [{ rollouts, metrics }] = reply.groups as [RewardsReply["groups"][number]];
  const { members, closed } = judgement;
  const replyFields = { request_id, logged, warnings, metrics, spec_hash };
  const shared = { ...replyFields, members, closed, early, retry_after_ms };
  return rollouts.map((result, i) => ({ reward: { ...shared, late: group.members[i]?.late === true, result } }));
}

/**
 * Returns the earlier answers if every request of the closing group turned out to be a retry, and closes the
 * group to further members. Returns null if the group must be judged.
 */
export function earlierAnswers(
  store: RoomStore,
  room: RoomState,
  group: GroupState,
  { closed }: Judgement,
): Answer[] | null {
  if (closed === "full" || !isRepetition(group)) return null;
  const places = group.members.map(({ body_hash }) => rewardedMember(room, body_hash));
  const answers = places.flatMap((place) => (place && store.answer(place.epoch, place.member)) ?? []);
  if (answers.length < group.members.length) return null;
  group.size = group.members.length;
  return answers;
}

/** The same error for every member. */
export function faultAnswers(fault: GatheringFault, { members }: Judgement): Answer[] {
  return Array.from({ length: members }, () => ({ fault }));
}

export function stateOf(answer: Answer): AnswerState {
  if ("fault" in answer) return "failed";
  const { reward, error }: RolloutResult = answer.reward.result;
  if (reward !== null) return "reward";
  return error === "group_too_small" ? "alone" : "failed";
}

/**
 * If a sample is alone in its group but equals a rewarded sample, returns the rewarded sample's answer: the
 * request must be a retry. Its first connection was wrongly considered alive, since a probe that times out
 * counts as connected.
 */
export function orEarlier(store: RoomStore, room: RoomState, answer: Answer, bodyHash: string): Answer {
  if (stateOf(answer) !== "alone") return answer;
  const earlier = rewardedMember(room, bodyHash);
  return (earlier && store.answer(earlier.epoch, earlier.member)) ?? answer;
}

/** Replies to undecided requests that equal a member without a reward: each receives that member's error. */
export function refusals(
  undecided: readonly Undecided[],
  { members }: GroupState,
  answers: readonly Answer[],
): { waiter_id: string; reply: RoomReply }[] {
  return undecided.flatMap(({ arrival: { waiter_id, body_hash, takes_failure } }) => {
    const answer = answers[members.findIndex((member) => member.body_hash === body_hash)];
    if (answer === undefined || stateOf(answer) !== "failed" || takes_failure) return [];
    return [{ waiter_id, reply: "fault" in answer ? answer : { reward: { ...answer.reward, attached: true } } }];
  });
}
