// Owns the judging of one gathered group: the same scoring and logging as a native request of one
// group. Knows no room and no storage.

import type { RewardsReply } from "../../core/contract/replies.ts";
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { holding } from "../../scoring/held-work.ts";
import { partyOf } from "../../scoring/party.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import { scoreBatch } from "../../scoring/score-batch.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

export interface GroupWork {
  /** Of its log entry; repeating it leaves no second one. */
  request_id: string;
  /** false: scored only, for its journal; a judgement of the same id follows, and has the costs. */
  logs: boolean;
  /** For its log entry. */
  warnings: readonly string[];
  group_id: string;
  subject: RoomSubject;
  members: readonly MemberContent[];
  deadline_ms: number;
  journal: ReadingJournal;
}

/** Rejects with an ApiError for faults of the request only. */
export type JudgeGroup = (work: GroupWork) => Promise<RewardsReply>;

/** A group is judged to its end whoever goes: a client that left comes back for its answer. */
export function createGroupJudge(deps: JudgingDeps): JudgeGroup {
  return async ({ request_id, logs, warnings, group_id, subject, members, deadline_ms, journal }) => {
    requireShown(members);
    const { prompt, spec, facts, run_id, step, key_name } = subject;
    const language = members[0]?.language ?? undefined;
    const rollouts = members.map(({ rollout }) => rollout);
    const request = {
      run_id: run_id ?? undefined,
      step: step ?? latestStep(members),
      spec,
      deadline_ms,
      groups: [{ group_id, prompt, language, ...facts, rollouts }],
    };
    const never = new AbortController().signal;
    // In the isolate of the room, whose members came through others.
    return holding(deps.held, key_name, deadline_ms, async ({ hold }) => {
      const started_ms = deps.clock.now();
      if (!logs) {
        const batch = { request, spec, started_ms, signal: never, journal, hold, ...partyOf(key_name) };
        const { reply } = await scoreBatch(deps, batch);
        return { request_id, ...reply, logged: false };
      }
      const scope = { id: request_id, started_ms, key_name, verifier_ms: 0, store_ms: 0, warnings, hold };
      const { reply } = await scoreAndLog(deps, scope, request, spec, never, undefined, journal);
      return reply;
    });
  };
}

/** A trainer that updates its policy while a group is generated says several; they are one group. */
function latestStep(members: readonly MemberContent[]): number | undefined {
  const steps = members.flatMap(({ log_step }) => log_step ?? []);
  return steps.length === 0 ? undefined : Math.max(...steps);
}

/** A reward is relative to the group, and nothing can be said beside what nobody was shown. */
function requireShown(members: readonly MemberContent[]): void {
  const errors = members.find(({ unshown }) => unshown !== undefined)?.unshown;
  if (errors === undefined) return;
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}. It stands in a sample of this group, of which nothing was asked`;
  throw new ApiError("unsupported_content", `${detail}.`, { errors });
}
