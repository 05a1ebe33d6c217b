// The interface of gathering, which lets clients send the samples of a group in separate requests. A room
// collects the samples, and every request is answered with its sample's reward once the group is judged.

import type { Rollout } from "../../core/contract/group.ts";
import type { GroupResult, RolloutResult } from "../../core/contract/group-reply.ts";
import type { Prompt } from "../../core/contract/prompt.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { Spec } from "../../core/reward/spec.ts";

/** Facts of a group by name, as in the groups of /v1/rewards. */
export type GroupFacts = Readonly<Record<string, unknown>>;

/** The sample of one request, as sent to the room that gathers its group. Durations are in ms. */
export interface GatheredSample {
  /** Name of the room: a digest of key name, run, step, spec hash, prompt hash, label and group size. */
  room: string;
  /** The request's id. If the request joins the room again with the same id, it gets the same answer. */
  waiter_id: string;
  /** SHA-256 of the raw request body, in hex. Requests are equal if their bodies are byte-identical. */
  body_hash: string;
  prompt: Prompt;
  language: string | null;
  rollout: Rollout;
  /** Parts of the rollout that no judge can be shown. A group with such a sample is rejected. */
  unshown?: readonly FieldError[];
  spec: Spec;
  /** Facts about the group that the spec needs; omitted if the spec needs none. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  /** The trainer's step, used only for the run log, since samples of a group may have different steps. */
  log_step?: number;
  key_name: string | null;
  /** Number of samples at which the group closes; null: only the window closes the group. */
  group_size: number | null;
  /** Time after the last arrival at which the group closes even if it is incomplete. */
  window_ms: number;
  /** Time from now within which this request must be answered. */
  answer_within_ms: number;
  /** How long answers are kept, so that the client can retry. */
  retain_ms: number;
  /**
   * Number of attempts that the client makes. While attempts remain, a request whose group is incomplete may
   * be answered with the error `gathering`.
   */
  tries: number;
  /**
   * How long the first attempt waits for an incomplete group. The time doubles with each attempt, up to half
   * of `answer_within_ms`.
   */
  patience_ms: number;
  /** Whether a failure is final: the client receives a number instead of a reward and does not retry. */
  takes_failure: boolean;
  /** Whether the group is judged only when complete. If so, an incomplete group gets no rewards. */
  whole_only: boolean;
}

/**
 * Why a group was closed and judged: all samples had arrived, no sample arrived within the window, or a
 * request's time to wait was over.
 */
export type GroupClosed = "full" | "window" | "deadline";

/** The answer to one request. */
export interface GatheredReward {
  /** Id of the group's log entry, or the request's own id if no judgement finished in time. */
  request_id: string;
  logged: RewardsReply["logged"];
  warnings: string[];
  /** Number of samples judged together, including this request's sample. */
  members: number;
  closed: GroupClosed;
  /**
   * Number of generations requested before the group was complete. Missing in records stored by older
   * versions.
   */
  early?: number;
  /**
   * The longest Retry-After of a verifier, in ms; null if there was none. Missing in records stored by older
   * versions.
   */
  retry_after_ms?: number | null;
  /** The sample arrived after its group had been judged, and was scored against the earlier samples. */
  late: boolean;
  /** The request repeated a sample that another request had sent. */
  attached: boolean;
  /** Without a reward, `reward` is null and `error` is set. */
  result: RolloutResult;
  metrics: GroupResult["metrics"];
  spec_hash: string;
}

/**
 * Checks whether the request's client is still connected. The route writes white space to its reply twice,
 * about 100 ms apart, and the probe resolves with false if the request was aborted. A rejection means that
 * the client has disconnected.
 */
export type ClientProbe = () => Promise<boolean>;

/** Port to the rooms that gather one-sample requests into groups. */
export interface GroupRooms {
  /**
   * Resolves with the sample's reward. After `answer_within_ms`, or when `signal` is aborted, resolves with a
   * null reward and the error `deadline` or `cancelled`. Rejects with an ApiError only for invalid requests,
   * not for verifier failures. Without `probe`, the client counts as connected until `signal` is aborted.
   */
  join(sample: GatheredSample, signal: AbortSignal, probe?: ClientProbe): Promise<GatheredReward>;
  /** Deletes the room's data. Waiting requests are answered with the error `gathering`. */
  forget(room: string): Promise<void>;
  /** Groups that the client names. */
  named: NamedGroups;
}

/** New rollouts for a named group. */
export interface NamedMembers
  extends Pick<GatheredSample, "room" | "prompt" | "language" | "spec" | "facts" | "run_id" | "step" | "key_name"> {
  /** The group's name as chosen by the client and written to the run log. */
  group_id: string;
  /** Id of the request that adds the rollouts. */
  request_id: string;
  /** Number of rollouts at which the group is judged; null: only `close` starts the judgement. */
  size: number | null;
  /** Time for judging, from the last arrival, in ms. */
  deadline_ms: number;
  /** Position of the first rollout in the group; the others follow in order. */
  position: number;
  rollouts: readonly Rollout[];
}

/** Progress of a named group. */
export interface NamedState {
  group_id: string;
  /** Number of rollouts so far. */
  members: number;
  size: number | null;
  state: "gathering" | "judging" | "judged";
}

/** The data of a request that closes a named group. */
export interface GroupClosing {
  room: string;
  request_id: string;
  /** Time for judging, in ms. Ignored if judging has already begun because the group reached its size. */
  deadline_ms: number;
}

/**
 * Port to groups that a client names, fills position by position, and closes. Adding the same rollout at the
 * same position again has no effect, and closing again returns the same reply.
 */
interface NamedGroups {
  /**
   * Adds rollouts to the group.
   * @throws ApiError `facts_disagree` if the request contradicts the group or changes the rollout at a
   *   position; `group_closed` if the group is closed and a rollout is new
   */
  add(members: NamedMembers): Promise<NamedState>;
  /**
   * Closes the group and waits for its judgement. Returns the reply, with the rollouts in order of position,
   * and the longest Retry-After of a verifier in ms (null if there was none).
   * @throws ApiError `not_found` if the group has no rollouts; other codes if judging rejects the group
   */
  close(closing: GroupClosing): Promise<{ reply: RewardsReply; retry_after_ms: number | null }>;
}
