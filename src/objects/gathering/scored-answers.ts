// Owns scoring a group for its members' answers: a fault of the whole is everybody's. Knows no
// waiter.
import type { RewardsReply } from "../../core/contract/replies.ts";
import { answersOf, faultAnswers } from "./answers.ts";
import type { EarlyJudging } from "./early-judging.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import { incompleteWarnings } from "./incomplete.ts";
import type { GroupWork } from "./judge-group.ts";
import { faultReply } from "./reply.ts";
import type { RoomParts } from "./room-listing.ts";
import type { Answer } from "./room-store.ts";
import { subjectFor } from "./subject.ts";

/** So much of a room's digest names its groups in the run log. */
const ROOM_CHARS = 16;

/** A judgement's group is scored: the reply, and its generations that were asked early. */
export async function scoredReply(
  { judge, now }: RoomParts,
  begun: EarlyJudging,
  group: GroupState,
  judgement: Judgement,
  work: Pick<GroupWork, "logs" | "warnings" | "group_id" | "subject" | "members">,
): Promise<{ reply: RewardsReply; early: number }> {
  const { request_id, answer_by } = judgement;
  const { journal, early, end } = begun.whole(group, judgement);
  try {
    const deadline_ms = Math.max(1, answer_by - now());
    const reply = await judge({ ...work, request_id, deadline_ms, journal });
    return { reply, early: early() };
  } finally {
    end();
  }
}

/** One answer a member, in order. @param logs see GroupWork */
export async function scoredAnswers(
  parts: RoomParts,
  begun: EarlyJudging,
  group: GroupState,
  judgement: Judgement,
  logs: boolean,
): Promise<Answer[]> {
  const { store, report } = parts;
  try {
    const subject = subjectFor(group, store.subject());
    const late = group.members.slice(group.judged, judgement.members).some((member) => member.late);
    const { reply, early } = await scoredReply(parts, begun, group, judgement, {
      logs,
      warnings: incompleteWarnings({ ...judgement, size: group.size, late }),
      group_id: `${subject.room.slice(0, ROOM_CHARS)}.${group.epoch}`,
      subject,
      members: store.members(group.epoch, judgement.members),
    });
    return answersOf(reply, group, judgement, early);
  } catch (error) {
    return faultAnswers(faultReply(error, judgement.request_id, report).fault, judgement);
  }
}
