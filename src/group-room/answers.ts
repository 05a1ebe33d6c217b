// Owns the step from a judged group to each member's answer. Knows no waiter and no storage.
import type { RewardsReply, RolloutResult } from "../core/contract-replies.ts";
import type { AnswerState, GroupState, Judgement } from "../core/gathering-group.ts";
import type { Fault } from "./reply.ts";
import type { Answer } from "./room-store.ts";

/** One answer a judged member, in order. */
export function answersOf(reply: RewardsReply, group: GroupState, judgement: Judgement): Answer[] {
  const { request_id, warnings, spec_hash, logged } = reply;
  const [{ rollouts, metrics }] = reply.groups as [RewardsReply["groups"][number]];
  const { members, closed } = judgement;
  const shared = { request_id, logged, warnings, members, closed, metrics, spec_hash };
  return rollouts.map((result, i) => ({ reward: { ...shared, late: group.members[i]?.late === true, result } }));
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
