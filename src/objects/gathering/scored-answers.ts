// Owns scoring a group for its members' answers: a fault of the whole is everybody's. Knows no
// waiter.
import { answersOf, faultAnswers } from "./answers.ts";
import type { EarlyJudging } from "./early-judging.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import { incompleteWarnings } from "./incomplete.ts";
import { faultReply } from "./reply.ts";
import type { RoomParts } from "./room-listing.ts";
import type { Answer } from "./room-store.ts";
import { subjectFor } from "./subject.ts";

/** So much of a room's digest names its groups in the run log. */
const ROOM_CHARS = 16;

/** One answer a member, in order. @param logs see GroupWork */
export async function scoredAnswers(
  { store, judge, now, report }: RoomParts,
  begun: EarlyJudging,
  group: GroupState,
  judgement: Judgement,
  logs: boolean,
): Promise<Answer[]> {
  const { request_id, members, answer_by } = judgement;
  const { journal, early, end } = begun.whole(group, judgement);
  try {
    const subject = subjectFor(group, store.subject());
    const late = group.members.slice(group.judged, members).some((member) => member.late);
    const reply = await judge({
      request_id,
      logs,
      warnings: incompleteWarnings({ ...judgement, size: group.size, late }),
      group_id: `${subject.room.slice(0, ROOM_CHARS)}.${group.epoch}`,
      subject,
      members: store.members(group.epoch, members),
      deadline_ms: Math.max(1, answer_by - now()),
      journal,
    });
    return answersOf(reply, group, judgement, early());
  } catch (error) {
    return faultAnswers(faultReply(error, request_id, report).fault, judgement);
  } finally {
    end();
  }
}
