// The interface of batches (requests answered later): the submitted data, the public view, and the port to
// where batches run. Must not depend on HTTP or storage.

import type { GroupResult, RewardsReply } from "../../core/contract/replies.ts";
import type { FieldError, RequestErrorCode } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";

export const BATCH_STATES = ["queued", "running", "done", "failed", "cancelled"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Routes that accept batches. */
export const BATCH_ROUTES = ["rewards", "score_batch"] as const;
export type BatchRoute = (typeof BATCH_ROUTES)[number];

/** The work of a batch. */
export interface BatchRequest {
  request: RewardsRequest;
  /** The request's resolved spec; a later change of a named spec does not affect it. */
  spec: AnySpec;
}

/** Metadata submitted with the work. */
export interface BatchHead {
  /** Name of the caller's key; the batch is invisible to other keys. */
  key_name: string | null;
  route: BatchRoute;
  /** JSON data that the route needs to build the final reply. */
  shape: unknown;
}

/**
 * Progress of a batch. With adaptive schedules comparisons_total grows wave by wave. Failed comparisons are
 * never counted as done.
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

/** The public state of a batch. Times are in ms since 1970. */
export interface BatchView {
  batch_id: string;
  route: BatchRoute;
  shape: unknown;
  state: BatchState;
  created_at: number;
  deadline_at: number;
  ended_at: number | null;
  progress: BatchProgress;
  /** Finished groups by index; empty once `reply` is set. */
  results: ({ index: number } & GroupResult)[];
  /** The reply of the route; set if and only if `state` is `done`. */
  reply: RewardsReply | null;
  /** Set if and only if `state` is `failed`. */
  error: BatchFault | null;
}

/** A batch as listed. */
export type BatchBrief = Pick<
  BatchView,
  "batch_id" | "route" | "state" | "created_at" | "deadline_at" | "ended_at" | "progress"
>;

/** Port to where batches run. Calls are idempotent and reject with an ApiError. */
export interface Batches {
  /**
   * Accepts a batch, which then runs to its end even if the caller disconnects. The deadline counts from now.
   */
  submit(id: string, head: BatchHead, batch: BatchRequest): Promise<void>;
  /**
   * Returns null if the caller has no such batch. Resolves when the batch has ended, at the latest after
   * `waitMs`.
   */
  view(id: string, keyName: string | null, waitMs: number): Promise<BatchView | null>;
  /** Cancels a batch, including running verifier requests; does nothing if the batch has ended. */
  cancel(id: string, keyName: string | null): Promise<BatchView | null>;
  /** Cancels a batch of any key and deletes it; resolves once all its data is gone. */
  forget(id: string): Promise<void>;
  /**
   * Lists the caller's batches submitted before `before` (null: all), newest first. `next` is the `before` of
   * the next page, or null on the last page. A page has at most `limit` rows, and fewer if some batches have
   * been deleted.
   */
  list(
    keyName: string | null,
    before: string | null,
    limit: number,
  ): Promise<{ rows: BatchBrief[]; next: string | null }>;
}

export const isEnded = (state: BatchState): boolean => state !== "queued" && state !== "running";
