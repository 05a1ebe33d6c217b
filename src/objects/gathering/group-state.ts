// The state of one gathered group: its members (samples), its waiters (open requests), and its judgement.
// Contains interfaces only.
import type { GatheredSample, GroupClosed } from "./gathering.ts";

/** The fields of an arriving sample that decide which group and slot it gets. */
export type Arrival = Pick<
  GatheredSample,
  | "waiter_id"
  | "body_hash"
  | "group_size"
  | "window_ms"
  | "answer_within_ms"
  | "retain_ms"
  | "tries"
  | "patience_ms"
  | "takes_failure"
  | "whole_only"
>;

/**
 * State of a member's answer. `alone`: the group has one sample, which cannot be compared. `failed`: the
 * reward is missing, but another attempt may succeed.
 */
export type AnswerState = "none" | "reward" | "alone" | "failed";

export interface MemberState {
  body_hash: string;
  /** Id of the request that added the member. */
  waiter_id: string;
  /** Whether the member joined after a judgement of its group had begun or ended. */
  late: boolean;
  answer: AnswerState;
  /**
   * Time at which the answer was sent to a connected client; null until then. An equal request that arrives
   * later is not a retry.
   */
  told_at: number | null;
  /**
   * Whether a client has already received an answer for an equal sample. If so, the member is either a new
   * sample that happens to be equal, or a retry.
   */
  seen_before: boolean;
  /** Number of times that the sample has been sent. */
  tries: number;
  /** Maximum number of equal requests open at the same time, i.e. the number of clients behind `tries`. */
  abreast: number;
}

/** One open request. Times are in ms since 1970. */
export interface WaiterState {
  waiter_id: string;
  member: number;
  since: number;
  gather_by: number;
  answer_by: number;
  /**
   * Whether the waiter was restored after a restart and its client has not joined again. Its deadlines are
   * ignored.
   */
  lost: boolean;
  /**
   * How long the request waits for an incomplete group before it is answered with `gathering`, in ms; null if
   * its client has no attempts left.
   */
  let_go_after: number | null;
  takes_failure: boolean;
}

export interface Judgement {
  request_id: string;
  /** Number of members to judge, starting with the first. */
  members: number;
  closed: GroupClosed;
  answer_by: number;
}

/** The state of a group, as stored. The members' rollouts and answers are stored separately. */
export interface GroupState {
  /** Index of the group in its room, from 0. */
  epoch: number;
  /** Number of members of the complete group; null if the size is unknown and only time closes the group. */
  size: number | null;
  members: MemberState[];
  /** Body hashes of rejected samples, which the group does not wait for. */
  refused: string[];
  /** Whether the group gets no rewards at all if a sample is rejected. */
  whole_only: boolean;
  /** Requests that have not been answered yet, in order of arrival. */
  waiters: WaiterState[];
  /** Number of members that have been judged, starting with the first. */
  judged: number;
  judging: Judgement | null;
  /** Why the last judgement began; null if there was none. */
  closed: GroupClosed | null;
  /** Whether a request repeated a member whose judgement failed. */
  retry_requested: boolean;
  /**
   * Id under which the members were scored before duplicate requests were resolved; null if they were not.
   * The next judgement reuses the id and includes the cost.
   */
  scored_as: string | null;
  /** Whether duplicate requests are being resolved, including the scoring that precedes it. */
  telling_apart: boolean;
  window_ends: number;
  /** Time of the last arrival. */
  last_at: number;
  /** Time limit for a judgement that no client waits for, ms. */
  judge_ms: number;
  judged_at: number | null;
  retain_ms: number;
  forget_at: number;
  /** The group's size in storage; undefined if nothing is stored. */
  stored?: GroupBytes;
}

/**
 * Bytes in storage, and those counted against the key's storage limit (`booked`) until the time `until` (ms
 * since 1970).
 */
interface GroupBytes {
  bytes: number;
  booked: number;
  until: number;
}

/**
 * A request whose body equals that of another open request. It is either a separate sample that happens to be
 * equal, or a retry after a disconnect that went unnoticed. The request waits until the two cases can be
 * distinguished.
 */
export interface Undecided {
  arrival: Arrival;
  since: number;
}

export interface RoomState {
  /** All groups, in ascending order of `epoch`. */
  groups: GroupState[];
  /** Body hashes of samples rejected while no group was missing members; the next group takes them over. */
  refused: string[];
  undecided: Undecided[];
}
