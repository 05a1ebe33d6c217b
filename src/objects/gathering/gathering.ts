// The words of gathering: what a one-sample request brings to its group's room and what it gets back.

import type { GroupResult, RewardsReply, RolloutResult } from "../../core/contract/replies.ts";
import type { Prompt, Rollout } from "../../core/contract/requests.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";

/** Facts of a group by name, as /v1/rewards takes them beside its prompt. */
export type GroupFacts = Readonly<Record<string, unknown>>;

/** One request's sample, on its way to the room of its group. Durations in ms. */
export interface GatheredSample {
  /** Digest naming the room: key name, run, step, spec hash, prompt hash, label and group size. */
  room: string;
  /** This request's id. Joining again with it attaches to the same waiter. */
  waiter_id: string;
  /** SHA-256 hex of the request's raw body: equal means byte-identical. */
  body_hash: string;
  prompt: Prompt;
  language: string | null;
  rollout: Rollout;
  /** Other content of the answer that no judge is shown: a group with such a member is refused. */
  unshown?: readonly FieldError[];
  spec: AnySpec;
  /** Facts of the group that its spec needs; absent: none. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  /** The trainer's own step, for the run log alone: members of one group may state others. */
  log_step?: number;
  key_name: string | null;
  /** The group closes as soon as it has this many members; null: only the window closes it. */
  group_size: number | null;
  /** Else it closes this long after the last member's arrival. */
  window_ms: number;
  /** The contract's deadline for this waiter, from now. */
  answer_within_ms: number;
  /** The client's whole retry horizon: how long answers are kept. */
  retain_ms: number;
  /**
   * How often its client asks: with tries to spare it may be answered `gathering` while its group
   * is incomplete.
   */
  tries: number;
  /**
   * How long it waits for an incomplete group at its first try; twice as long at each further one,
   * never beyond half of its time.
   */
  patience_ms: number;
  /**
   * A failure is an answer as well: the client is given a number for it, and does not ask again.
   */
  takes_failure: boolean;
  /** Its group is judged when all are there, and not before: a part has no reward. */
  whole_only: boolean;
}

/**
 * Why a group was judged when it was: all members there, none came for the window, or the time to wait was
 * over.
 */
export type GroupClosed = "full" | "window" | "deadline";

/** One waiter's answer. */
export interface GatheredReward {
  /** The id of the judged group's log entry; the waiter's own id when no judgement came in time. */
  request_id: string;
  logged: RewardsReply["logged"];
  warnings: string[];
  /** Members judged together, the waiter's own among them. */
  members: number;
  closed: GroupClosed;
  /**
   * Generations of the group that were asked before it was complete; absent in what was stored
   * before they were counted.
   */
  early?: number;
  /**
   * The longest wait that a verifier asked for when it refused, ms; null where none did. Absent in what
   * was stored before waits were passed on.
   */
  retry_after_ms?: number | null;
  /**
   * The group had been judged before this member came: it was scored against the members judged
   * already.
   */
  late: boolean;
  /** The request repeated a sample that was known already. */
  attached: boolean;
  /** `reward` null and an error code when there is none. */
  result: RolloutResult;
  metrics: GroupResult["metrics"];
  spec_hash: string;
}

/**
 * Asks a waiter's own request whether its client is still there. The route writes white space to
 * its reply twice, about 100 ms apart, and resolves with false when its request's signal has
 * aborted. A rejection means the client has gone.
 */
export type ClientProbe = () => Promise<boolean>;

/** Where the one-sample requests of a group meet. */
export interface GroupRooms {
  /**
   * Resolves with this sample's reward, always within answer_within_ms (then reward null, error
   * `deadline`; `cancelled` after the signal's abort). Rejects with an ApiError for a fault of the
   * request only, never for a verifier's. Without `probe` the client counts as there until the
   * signal aborts.
   */
  join(sample: GatheredSample, signal: AbortSignal, probe?: ClientProbe): Promise<GatheredReward>;
  /** Forgets what the room holds; who waits there is answered `gathering`. */
  forget(room: string): Promise<void>;
  /** Groups that their callers name and fill. */
  named: NamedGroups;
}

/** Some members on their way to the group that their caller names. */
export interface NamedMembers
  extends Pick<GatheredSample, "room" | "prompt" | "language" | "spec" | "facts" | "run_id" | "step" | "key_name"> {
  /** The caller's name of it, as the run log has it. */
  group_id: string;
  /** The id of the request that brings them. */
  request_id: string;
  /** Judged as soon as it has this many members; null: only closing ends it. */
  size: number | null;
  /** Time for judging from the last member's arrival, ms. */
  deadline_ms: number;
  /** Position of the first of `rollouts`; the next are at the positions after it. */
  position: number;
  rollouts: readonly Rollout[];
}

/** How far a named group is. */
export interface NamedState {
  group_id: string;
  /** Members so far. */
  members: number;
  size: number | null;
  state: "gathering" | "judging" | "judged";
}

/** Who closes a named group. */
export interface GroupClosing {
  room: string;
  request_id: string;
  /** Time for judging, ms; it has begun already where the group's size was reached. */
  deadline_ms: number;
}

/**
 * Groups that a caller names, fills by position and closes. The same rollout at the same position
 * changes nothing, and closing again gives the same reply.
 */
interface NamedGroups {
  /**
   * @throws ApiError `facts_disagree` for members that contradict the group, or are at another one's
   * position; `group_closed` for new ones of a closed group
   */
  add(members: NamedMembers): Promise<NamedState>;
  /**
   * The reply over one group, its rollouts in the order of their positions, and the longest wait that a
   * verifier asked for when it refused, ms; null where none did. Waits for a judgement under way to its end.
   * @throws ApiError `not_found` where the group has no member, and any refusal of the request
   */
  close(closing: GroupClosing): Promise<{ reply: RewardsReply; retry_after_ms: number | null }>;
}
