// The interface of batches that are answered later: what is submitted, what is shown of it, and the seam to
// where it runs. Must not know HTTP or storage.

import type { GroupResult, RewardsReply } from "../../core/contract/replies.ts";
import type { FieldError, RequestErrorCode } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";

export const BATCH_STATES = ["queued", "running", "done", "failed", "cancelled"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Routes whose requests may be answered later. */
export const BATCH_ROUTES = ["rewards", "score_batch"] as const;
export type BatchRoute = (typeof BATCH_ROUTES)[number];

/** What is to be scored. */
export interface BatchRequest {
  request: RewardsRequest;
  /** The request's spec, resolved: what is stored under its name later does not matter. */
  spec: AnySpec;
}

/** What is submitted beside that. */
export interface BatchHead {
  /** The caller's key; the batch is invisible to others. */
  key_name: string | null;
  route: BatchRoute;
  /** Data that the route needs for the form of the final reply; JSON. */
  shape: unknown;
}

/**
 * Comparisons become known wave by wave with schedules that adapt. Those that failed are never
 * done.
 */
export interface BatchProgress {
  comparisons_total: number;
  comparisons_done: number;
  groups_total: number;
  groups_done: number;
}

export interface BatchFault {
  code: RequestErrorCode;
  detail: string;
  errors: FieldError[];
}

/** Times are ms since 1970. */
export interface BatchView {
  batch_id: string;
  route: BatchRoute;
  shape: unknown;
  state: BatchState;
  created_at: number;
  deadline_at: number;
  ended_at: number | null;
  progress: BatchProgress;
  /** Groups that are finished, by index, until the reply is there. */
  results: ({ index: number } & GroupResult)[];
  /** Exactly when `state` is done: the native reply. */
  reply: RewardsReply | null;
  /** Exactly when `state` is failed. */
  error: BatchFault | null;
}

/** A batch in a list. */
export type BatchBrief = Pick<
  BatchView,
  "batch_id" | "route" | "state" | "created_at" | "deadline_at" | "ended_at" | "progress"
>;

/** Where batches run. Calls are harmless to repeat, and reject with an ApiError. */
export interface Batches {
  /**
   * Takes the batch over; from here on it runs to its end whatever happens to the caller. Its
   * deadline counts from now.
   */
  submit(id: string, head: BatchHead, batch: BatchRequest): Promise<void>;
  /**
   * Null when the caller has no such batch. Resolves when it has ended, at the latest after
   * `waitMs`.
   */
  view(id: string, keyName: string | null, waitMs: number): Promise<BatchView | null>;
  /** Ends the work down to the verifier; a batch that has ended stays as it is. */
  cancel(id: string, keyName: string | null): Promise<BatchView | null>;
  /** Ends the work and forgets the batch, whoever submitted it; done when nothing of it is left. */
  forget(id: string): Promise<void>;
  /**
   * The caller's batches, newest first, of those submitted before `before` (null: all); `next` is
   * the `before` of the page behind, null on the last. A page has at most `limit`, and fewer where
   * some are forgotten by now.
   */
  list(
    keyName: string | null,
    before: string | null,
    limit: number,
  ): Promise<{ rows: BatchBrief[]; next: string | null }>;
}

export const isEnded = (state: BatchState): boolean => state !== "queued" && state !== "running";
