// The types of gathering: the data that a one-sample request brings to its group's room, and the reply it
// gets.

import type { GroupResult, RewardsReply, RolloutResult } from "../../core/contract/replies.ts";
import type { Prompt, Rollout } from "../../core/contract/requests.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";

/** Facts of a group by name, as in the groups of /v1/rewards. */
export type GroupFacts = Readonly<Record<string, unknown>>;

/** One request's sample, sent to the room of its group. Durations are in ms. */
export interface GatheredSample {
  /** Digest naming the room: key name, run, step, spec hash, prompt hash, label and group size. */
  room: string;
  /** The request's id. A second join with the same id attaches to the same waiter. */
  waiter_id: string;
  /** SHA-256 hex of the request's raw body: equal means byte-identical. */
  body_hash: string;
  prompt: Prompt;
  language: string | null;
  rollout: Rollout;
  /** Content of the answer that no judge can be shown. A group with such a member is rejected. */
  unshown?: readonly FieldError[];
  spec: AnySpec;
  /** Facts of the group that its spec needs; omitted if there are none. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  /** The trainer's step, used only in the run log: members of one group may have different values. */
  log_step?: number;
  key_name: string | null;
  /** Number of members at which the group closes; null: only the window closes the group. */
  group_size: number | null;
  /** The group closes this long after the last arrival even if it is incomplete. */
  window_ms: number;
  /** The deadline of this waiter under its API contract, from now. */
  answer_within_ms: number;
  /** How long answers are kept: the client's retry horizon. */
  retain_ms: number;
  /**
   * Number of attempts that the client makes. While attempts remain, the sample may be answered `gathering`
   * if its group is incomplete.
   */
  tries: number;
  /**
   * How long the first attempt waits for an incomplete group. Doubles with each attempt, up to half of the
   * attempt's time.
   */
  patience_ms: number;
  /** Whether a failure is a final answer: the client receives a number for it and does not retry. */
  takes_failure: boolean;
  /** The group is judged only when complete; an incomplete group gets no rewards. */
  whole_only: boolean;
}

/**
 * Why a group was judged: all members had arrived, no member arrived within the window, or the time to wait
 * was over.
 */
export type GroupClosed = "full" | "window" | "deadline";

/** One waiter's answer. */
export interface GatheredReward {
  /** Id of the judged group's log entry, or the waiter's id if no judgement finished in time. */
  request_id: string;
  logged: RewardsReply["logged"];
  warnings: string[];
  /** Number of members judged together, including the waiter's. */
  members: number;
  closed: GroupClosed;
  /** Generations asked before the group was complete; missing in records stored by older versions. */
  early?: number;
  /**
   * The longest Retry-After of a verifier, in ms; null if there was none. Missing in records stored by older
   * versions.
   */
  retry_after_ms?: number | null;
  /** The member joined after the group had been judged, and was scored against the members judged before. */
  late: boolean;
  /** The request repeated a known sample. */
  attached: boolean;
  /** `reward` is null and `error` is set if there is no reward. */
  result: RolloutResult;
  metrics: GroupResult["metrics"];
  spec_hash: string;
}

/**
 * Checks whether the waiter's client is still connected. The route writes white space to its reply twice,
 * about 100 ms apart, and resolves with false if the request's signal has aborted. A rejection means that the
 * client is gone.
 */
export type ClientProbe = () => Promise<boolean>;

/** Port to the rooms in which the one-sample requests of a group meet. */
export interface GroupRooms {
  /**
   * Resolves with the sample's reward, always within answer_within_ms (then with reward null and error
   * `deadline`, or `cancelled` after the signal aborts). Rejects with an ApiError only for errors in the
   * request, never for verifier failures. Without `probe` the client counts as connected until the signal
   * aborts.
   */
  join(sample: GatheredSample, signal: AbortSignal, probe?: ClientProbe): Promise<GatheredReward>;
  /** Deletes the room's data; open joins are answered `gathering`. */
  forget(room: string): Promise<void>;
  /** Groups with a name chosen by the caller. */
  named: NamedGroups;
}

/** New members for a named group. */
export interface NamedMembers
  extends Pick<GatheredSample, "room" | "prompt" | "language" | "spec" | "facts" | "run_id" | "step" | "key_name"> {
  /** The caller's name of the group, as written to the run log. */
  group_id: string;
  /** Id of the request that adds the members. */
  request_id: string;
  /** Number of members at which the group is judged; null: only `close` starts the judgement. */
  size: number | null;
  /** Time for judging, from the last arrival, in ms. */
  deadline_ms: number;
  /** Position of the first of `rollouts`; the others follow in order. */
  position: number;
  rollouts: readonly Rollout[];
}

/** Progress of a named group. */
export interface NamedState {
  group_id: string;
  /** Number of members so far. */
  members: number;
  size: number | null;
  state: "gathering" | "judging" | "judged";
}

/** A request to close a named group. */
export interface GroupClosing {
  room: string;
  request_id: string;
  /** Time for judging, in ms. Ignored if judging has already begun because the group reached its size. */
  deadline_ms: number;
}

/**
 * Groups that a caller names, fills by position and closes. Adding the same rollout at the same position
 * again has no effect, and closing again returns the same reply.
 */
interface NamedGroups {
  /**
   * @throws ApiError `facts_disagree` if members contradict the group or reuse a position; `group_closed` if
   * the group is closed and a member is new
   */
  add(members: NamedMembers): Promise<NamedState>;
  /**
   * Closes the group. Returns the reply for one group with its rollouts in order of position, and the longest
   * Retry-After of a verifier, in ms (null if there was none). Waits for a running judgement.
   * @throws ApiError `not_found` if the group has no members, and any error in the request
   */
  close(closing: GroupClosing): Promise<{ reply: RewardsReply; retry_after_ms: number | null }>;
}
