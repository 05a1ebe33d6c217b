// Judges one gathered group. Scoring and logging are the same as for a /v1/rewards request with one group.

import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import type { Spec } from "../../core/reward/spec.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { askEarly, mayBeginEarly } from "../../scoring/early.ts";
import { holding } from "../../scoring/held-work.ts";
import { partyOf } from "../../scoring/party.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import { scoreBatch } from "../../scoring/score-batch.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

interface GroupAsked {
  /** Id of the log entry. Judging again with the same id does not add a second entry. */
  request_id: string;
  subject: RoomSubject;
  members: readonly MemberContent[];
  deadline_ms: number;
  journal: ReadingJournal;
}

export interface GroupWork extends GroupAsked {
  /**
   * If false, the group is scored only to fill its journal. A judgement with the same id follows and logs the
   * cost.
   */
  logs: boolean;
  /** Warnings for the log entry. */
  warnings: readonly string[];
  group_id: string;
}

/** Questions about an incomplete group. */
interface EarlyWork extends GroupAsked {
  signal: AbortSignal;
}

/** Asks those questions about the current members that will be needed for the complete group too. */
export interface EarlyJudge {
  /** Whether the spec allows early questions for groups of this size; null: the size is unknown. */
  allows(spec: Spec, size: number | null): boolean;
  /** Rejects with an ApiError only for errors in the request. */
  ask(work: EarlyWork): Promise<void>;
}

/** Judges a group. Rejects with an ApiError only for errors in the request. */
export type JudgeGroup = (work: GroupWork) => Promise<JudgedGroup>;

interface JudgedGroup {
  reply: RewardsReply;
  /** The longest Retry-After of a verifier, in ms; null if there was none. */
  retry_after_ms: number | null;
}

/** A judged group, and the number of generations that were requested before the group was complete. */
export interface ScoredGroup extends JudgedGroup {
  early: number;
}

/**
 * Creates the function that judges a group. A judgement runs to its end even if all clients disconnect,
 * because they return for their answers.
 */
export function createGroupJudge(deps: JudgingDeps): JudgeGroup {
  return async (work) => {
    const { request_id, logs, warnings, subject, members, deadline_ms, journal } = work;
    requireShown(members);
    const { spec, key_name } = subject;
    const request = requestOf(work);
    const never = new AbortController().signal;
    const has_facts = true as const;
    // The memory must be reserved in this isolate, since the requests were admitted in other isolates.
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

/** Creates the early judge, which asks questions but computes no rewards and logs nothing. */
export function createEarlyJudge(deps: JudgingDeps): EarlyJudge {
  let known: { spec: Spec; size: number | null; allowed: boolean } | null = null;
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

/**
 * The latest training step among the members. A trainer that updates its policy during generation sends
 * different steps for the same group.
 */
function latestStep(members: readonly MemberContent[]): number | undefined {
  const steps = members.flatMap(({ log_step }) => log_step ?? []);
  return steps.length === 0 ? undefined : Math.max(...steps);
}

/**
 * Throws ApiError if a member has content that no judge can be shown. Rewards are relative to the group, so
 * the other members cannot be judged either.
 */
function requireShown(members: readonly MemberContent[]): void {
  const errors = members.find(({ unshown }) => unshown !== undefined)?.unshown;
  if (errors === undefined) return;
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}. This content is in a sample of the group, so the group was not judged`;
  throw new ApiError("unsupported_content", `${detail}.`, { errors });
}
