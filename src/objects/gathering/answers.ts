// Owns the step from a judged group to each member's answer. Knows no waiter and no storage.
import type { RewardsReply, RolloutResult } from "../../core/contract/replies.ts";
import { isRepetition } from "./group.ts";
import type { AnswerState, GroupState, Judgement } from "./group-state.ts";
import type { Fault } from "./reply.ts";
import type { Answer, RoomStore } from "./room-store.ts";
import { type RoomState, rewardedMember } from "./rules.ts";

/** One answer a judged member, in order. */
export function answersOf(reply: RewardsReply, group: GroupState, judgement: Judgement): Answer[] {
  const { request_id, warnings, spec_hash, logged } = reply;
  const [{ rollouts, metrics }] = reply.groups as [RewardsReply["groups"][number]];
  const { members, closed } = judgement;
  const shared = { request_id, logged, warnings, members, closed, metrics, spec_hash };
  return rollouts.map((result, i) => ({ reward: { ...shared, late: group.members[i]?.late === true, result } }));
}

/**
 * Of a group in which nothing new has come when it closes: its requests were retries after all, and
 * it takes nobody else. null when it is to be judged.
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

/** The same fault for every member. */
export function faultAnswers(fault: Fault, { members }: Judgement): Answer[] {
  return Array.from({ length: members }, () => ({ fault }));
}

export function stateOf(answer: Answer): AnswerState {
  if ("fault" in answer) return "failed";
  const { reward, error }: RolloutResult = answer.reward.result;
  if (reward !== null) return "reward";
  return error === "group_too_small" ? "alone" : "failed";
}
