// Defines what is known of one gathered group: members, waiters, its judgement. Interfaces only.
import type { GatheredSample, GroupClosed } from "./gathering.ts";

/** The data of an arriving sample that decides; its texts are the storage's. */
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
 * `alone`: without another to compare with, until one comes. `failed`: no reward was had; asking again may
 * help.
 */
export type AnswerState = "none" | "reward" | "alone" | "failed";

export interface MemberState {
  body_hash: string;
  /** The request that brought it; any other with the same body repeats it. */
  waiter_id: string;
  /** It came when a judgement of its group had begun or was over. */
  late: boolean;
  answer: AnswerState;
  /**
   * When its answer went to a client that was there; null until a client has it. A repetition after that is
   * not a retry.
   */
  told_at: number | null;
  /**
   * Its text is one that a client of this room has had its answer for: another sample of a later
   * group, or a retry after all.
   */
  seen_before: boolean;
  /** How often it has been sent. */
  tries: number;
  /** Most equal requests that were open at once: this many clients may share its tries. */
  abreast: number;
}

/** A waiter that has left is removed from the list. Times are ms since 1970. */
export interface WaiterState {
  waiter_id: string;
  member: number;
  since: number;
  gather_by: number;
  answer_by: number;
  /** Left from an earlier life of the room, and has not joined again: nothing is hurried for it. */
  lost: boolean;
  /**
   * When it is let go while the group is incomplete; null for one whose client has no try to spare.
   */
  let_go_after: number | null;
  takes_failure: boolean;
}

export interface Judgement {
  request_id: string;
  /** Members judged, the first ones. */
  members: number;
  closed: GroupClosed;
  answer_by: number;
}

/** Plain data, as it is stored: the members' texts and answers are kept apart. */
export interface GroupState {
  /** Counts the groups of a room, from 0. */
  epoch: number;
  /** Members that make it complete; null when only time closes it. */
  size: number | null;
  members: MemberState[];
  /** Bodies of samples that were refused: the group waits for as many members less. */
  refused: string[];
  /** All rewards are missing where one sample is refused. */
  whole_only: boolean;
  /** Waiters for members without their answer, in order of arrival. */
  waiters: WaiterState[];
  /** Members that have been judged, the first ones. */
  judged: number;
  judging: Judgement | null;
  /** Why the last judgement began; null before the first. */
  closed: GroupClosed | null;
  /** Somebody asked again for a member whose judgement failed. */
  retry_requested: boolean;
  /**
   * The request id under which its members were scored before its equal requests were told apart;
   * null when there are none. Its next judgement is of this id, and so has its costs.
   */
  scored_as: string | null;
  /** That scoring, or the telling apart after it, is under way. */
  telling_apart: boolean;
  window_ends: number;
  /** When its last member came. */
  last_at: number;
  /** Time for a judgement that no client waits for. */
  judge_ms: number;
  judged_at: number | null;
  retain_ms: number;
  forget_at: number;
  /** The group's bytes in storage. Absent: nothing has been stored. */
  stored?: GroupBytes;
}

/** Bytes in storage, and what of them is booked until when, ms since 1970. */
interface GroupBytes {
  bytes: number;
  booked: number;
  until: number;
}

/**
 * A request equal to one whose client seems to be there: another sample with the same text, or a
 * retry whose first connection died unnoticed. It waits until telling them apart costs nothing.
 */
export interface Undecided {
  arrival: Arrival;
  since: number;
}

export interface RoomState {
  /** By epoch, ascending. */
  groups: GroupState[];
  /** Bodies of samples refused since the last group had its members; the next group lacks them. */
  refused: string[];
  undecided: Undecided[];
}
