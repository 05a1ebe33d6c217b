// Scores a group and builds its members' answers. If scoring fails, every member gets the error.
import { answersOf, faultAnswers } from "./answers.ts";
import type { EarlyJudging } from "./early-judging.ts";
import type { GroupState, Judgement } from "./group-state.ts";
import { incompleteWarnings } from "./incomplete.ts";
import type { GroupWork, ScoredGroup } from "./judge-group.ts";
import { faultReply } from "./reply.ts";
import type { RoomParts } from "./room-listing.ts";
import type { Answer } from "./room-store.ts";
import { subjectFor } from "./subject.ts";

/** Number of characters of the room's digest that are part of a group id in the run log. */
const ROOM_CHARS = 16;

/** Scores a group within its judgement's deadline, reusing the results of early judging. */
export async function scoredReply(
  { judge, timers }: RoomParts,
  begun: EarlyJudging,
  group: GroupState,
  judgement: Judgement,
  work: Pick<GroupWork, "logs" | "warnings" | "group_id" | "subject" | "members">,
): Promise<ScoredGroup> {
  const { request_id, answer_by } = judgement;
  const { journal, early, end } = begun.whole(group, judgement);
  try {
    const deadline_ms = Math.max(1, answer_by - timers.now());
    const { reply, retry_after_ms } = await judge({ ...work, request_id, deadline_ms, journal });
    return { reply, retry_after_ms, early: early() };
  } finally {
    end();
  }
}

/**
 * Scores a group and returns one answer per member, in order.
 * @param logs whether to log the result; see `logs` in GroupWork
 */
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
    const scored = await scoredReply(parts, begun, group, judgement, {
      logs,
      warnings: incompleteWarnings({ ...judgement, size: group.size, late }),
      group_id: `${subject.room.slice(0, ROOM_CHARS)}.${group.epoch}`,
      subject,
      members: store.members(group.epoch, judgement.members),
    });
    return answersOf(scored, group, judgement);
  } catch (error) {
    return faultAnswers(faultReply(error, judgement.request_id, report).fault, judgement);
  }
}
