// The judging of one gathered group: the same scoring and logging as a native request of one group.

import type { RewardsReply } from "../../core/contract/replies.ts";
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { askEarly, mayBeginEarly } from "../../scoring/early.ts";
import { holding } from "../../scoring/held-work.ts";
import { partyOf } from "../../scoring/party.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import { scoreBatch } from "../../scoring/score-batch.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

interface GroupAsked {
  /** The id of its log entry; repeating it leaves no second one. */
  request_id: string;
  subject: RoomSubject;
  members: readonly MemberContent[];
  deadline_ms: number;
  journal: ReadingJournal;
}

export interface GroupWork extends GroupAsked {
  /** false: scored only, for its journal; a judgement of the same id follows, and has the costs. */
  logs: boolean;
  /** For its log entry. */
  warnings: readonly string[];
  group_id: string;
}

/** For a group that still gathers. */
interface EarlyWork extends GroupAsked {
  signal: AbortSignal;
}

/** Asks of some members what will be asked of all. */
export interface EarlyJudge {
  /** Whether the spec has anything such, for groups of that size; null: of any. */
  allows(spec: AnySpec, size: number | null): boolean;
  /** Rejects with an ApiError for faults of the request only. */
  ask(work: EarlyWork): Promise<void>;
}

/** Rejects with an ApiError for faults of the request only. */
export type JudgeGroup = (work: GroupWork) => Promise<JudgedGroup>;

interface JudgedGroup {
  reply: RewardsReply;
  /** The longest wait that a verifier asked for when it refused, ms; null where none did. */
  retry_after_ms: number | null;
}

/** With the generations that were asked before the group was complete. */
export interface ScoredGroup extends JudgedGroup {
  early: number;
}

/** A group is judged to its end whoever goes: a client that left comes back for its answer. */
export function createGroupJudge(deps: JudgingDeps): JudgeGroup {
  return async (work) => {
    const { request_id, logs, warnings, subject, members, deadline_ms } = work;
    requireShown(members);
    const { spec, key_name } = subject;
    const request = requestOf(work);
    const journal = { ...work.journal, ...(deps.verifier.protocol === "verify" && { hastens: true as const }) };
    const never = new AbortController().signal;
    const has_facts = true as const;
    // In the isolate of the room, whose members came through others.
    return holding(deps.held, key_name, deadline_ms, async ({ reserveBytes }) => {
      const started_ms = deps.clock.now();
      if (!logs) {
        const attribution = { work: request_id, ...partyOf(key_name) };
        const batch = {
          request,
          spec,
          started_ms,
          signal: never,
          journal,
          reserveBytes,
          has_facts,
          ...attribution,
        };
        const { reply, retry_after_ms } = await scoreBatch(deps, batch);
        return { reply: { request_id, ...reply, logged: false }, retry_after_ms };
      }
      const scope = {
        id: request_id,
        started_ms,
        key_name,
        verifier_ms: 0,
        store_ms: 0,
        warnings,
        reserveBytes,
        work: request_id,
        has_facts,
      };
      return scoreAndLog(deps, scope, request, spec, never, undefined, journal);
    });
  };
}

/** The same questions of the members there are, without a reward or a log entry. */
export function createEarlyJudge(deps: JudgingDeps): EarlyJudge {
  let known: { spec: AnySpec; size: number | null; allowed: boolean } | null = null;
  return {
    allows(spec, size) {
      if (known?.spec === spec && known.size === size) return known.allowed;
      known = { spec, size, allowed: mayBeginEarly(spec, size, deps.verifier) };
      return known.allowed;
    },
    async ask(work) {
      const { request_id, subject, members, deadline_ms, journal, signal } = work;
      requireShown(members);
      const { spec, key_name } = subject;
      const request = requestOf({ ...work, group_id: request_id });
      const attribution = { work: request_id, ...partyOf(key_name) };
      await holding(deps.held, key_name, deadline_ms, ({ reserveBytes }) =>
        askEarly(deps, { request, spec, signal, journal, reserveBytes, ...attribution }),
      );
    },
  };
}

function requestOf({ group_id, subject, members, deadline_ms }: GroupAsked & Pick<GroupWork, "group_id">) {
  const { prompt, spec, facts, run_id, step } = subject;
  const language = members[0]?.language ?? undefined;
  const rollouts = members.map(({ rollout }) => rollout);
  return {
    run_id: run_id ?? undefined,
    step: step ?? latestStep(members),
    spec,
    deadline_ms,
    groups: [{ group_id, prompt, language, ...facts, rollouts }],
  };
}

/** A trainer that updates its policy while a group is generated says several; they are one group. */
function latestStep(members: readonly MemberContent[]): number | undefined {
  const steps = members.flatMap(({ log_step }) => log_step ?? []);
  return steps.length === 0 ? undefined : Math.max(...steps);
}

/** A reward is relative to the group, and a hidden member cannot be compared. */
function requireShown(members: readonly MemberContent[]): void {
  const errors = members.find(({ unshown }) => unshown !== undefined)?.unshown;
  if (errors === undefined) return;
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}. It stands in a sample of this group, of which nothing was asked`;
  throw new ApiError("unsupported_content", `${detail}.`, { errors });
}
