// The state of one gathered group: members, waiters, judgement. Interfaces only.
import type { GatheredSample, GroupClosed } from "./gathering.ts";

/** The fields of an arriving sample that decide its place; its texts are in the storage. */
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

/** `alone`: no other sample to compare with yet. `failed`: no reward; another attempt may succeed. */
export type AnswerState = "none" | "reward" | "alone" | "failed";

export interface MemberState {
  body_hash: string;
  /** Id of the request that added the member; any other request with the same body repeats it. */
  waiter_id: string;
  /** The member joined after a judgement of its group had begun or ended. */
  late: boolean;
  answer: AnswerState;
  /**
   * When the answer was sent to a connected client; null until then. An equal request after that time is not
   * a retry.
   */
  told_at: number | null;
  /**
   * A client of this room has already received an answer for the same text, so the member is either another
   * sample of a later group or a retry.
   */
  seen_before: boolean;
  /** Number of times the sample has been sent. */
  tries: number;
  /** Maximum number of equal requests open at the same time, i.e. how many clients may share `tries`. */
  abreast: number;
}

/** One open request. Waiters that have left are removed from the list. Times are in ms since 1970. */
export interface WaiterState {
  waiter_id: string;
  member: number;
  since: number;
  gather_by: number;
  answer_by: number;
  /**
   * The waiter is from before a restart of the room and has not joined again, so no deadline depends on it.
   */
  lost: boolean;
  /**
   * How long the waiter waits for an incomplete group before it is answered `gathering`, in ms; null if its
   * client has no attempts left.
   */
  let_go_after: number | null;
  takes_failure: boolean;
}

export interface Judgement {
  request_id: string;
  /** Number of members judged, from the first on. */
  members: number;
  closed: GroupClosed;
  answer_by: number;
}

/** The stored state of a group as plain data. The members' texts and answers are stored separately. */
export interface GroupState {
  /** Index of the group in its room, from 0. */
  epoch: number;
  /** Number of members of a complete group; null if only time closes the group. */
  size: number | null;
  members: MemberState[];
  /** Body hashes of rejected samples: the group waits for that many fewer members. */
  refused: string[];
  /** If one sample is rejected, the whole group gets no rewards. */
  whole_only: boolean;
  /** Waiters whose members have no answer yet, in order of arrival. */
  waiters: WaiterState[];
  /** Number of members that have been judged, from the first on. */
  judged: number;
  judging: Judgement | null;
  /** Why the last judgement began; null before the first. */
  closed: GroupClosed | null;
  /** A request repeated a member whose judgement failed. */
  retry_requested: boolean;
  /**
   * Request id under which the members were scored before duplicate requests were resolved; null if that did
   * not happen. The next judgement reuses the id and includes the costs.
   */
  scored_as: string | null;
  /** The scoring for duplicate requests, or their resolution, is in progress. */
  telling_apart: boolean;
  window_ends: number;
  /** Time of the last arrival. */
  last_at: number;
  /** Time in ms for a judgement that no client waits for. */
  judge_ms: number;
  judged_at: number | null;
  retain_ms: number;
  forget_at: number;
  /** The group's bytes in storage; undefined if nothing is stored. */
  stored?: GroupBytes;
}

/**
 * Bytes in storage, the part of them that is booked, and the time (ms since 1970) until which it is booked.
 */
interface GroupBytes {
  bytes: number;
  booked: number;
  until: number;
}

/**
 * A request equal to another open request whose client seems connected: either a separate sample with the
 * same text, or a retry whose first connection died unnoticed. It waits until both cases can be distinguished
 * at no cost.
 */
export interface Undecided {
  arrival: Arrival;
  since: number;
}

export interface RoomState {
  /** Ascending by epoch. */
  groups: GroupState[];
  /**
   * Body hashes of samples rejected since the last group was complete; they are missing from the next group.
   */
  refused: string[];
  undecided: Undecided[];
}
