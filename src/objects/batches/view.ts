// The interface of batches (requests that are answered later): the submitted data, the public view, and the
// port. Independent of HTTP and storage.

import type { GroupResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import type { FieldError, RequestErrorCode } from "../../core/faults/errors.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";
import type { Spec } from "../../core/reward/spec.ts";

export const BATCH_STATES = ["queued", "running", "done", "failed", "cancelled"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Routes that accept batches. */
export const BATCH_ROUTES = ["rewards", "score_batch"] as const;
export type BatchRoute = (typeof BATCH_ROUTES)[number];

/** The request that a batch scores. */
export interface BatchRequest {
  request: RewardsRequest;
  /** The resolved spec. Later changes to a named spec do not affect the batch. */
  spec: Spec;
}

/** Metadata submitted with the request. */
export interface BatchHead {
  /** Name of the caller's API key. Other keys cannot see the batch. */
  key_name: string | null;
  route: BatchRoute;
  /** JSON data that the route needs to build the final reply. */
  shape: unknown;
}

/**
 * Progress of a batch. With adaptive schedules, `comparisons_total` grows while the batch runs. Failed
 * comparisons do not count as done.
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
  /** The route's reply; set if and only if `state` is `done`. */
  reply: RewardsReply | null;
  /** Set if and only if `state` is `failed`. */
  error: BatchFault | null;
}

/** A batch as shown in lists. */
export type BatchBrief = Pick<
  BatchView,
  "batch_id" | "route" | "state" | "created_at" | "deadline_at" | "ended_at" | "progress"
>;

/** Port to the service that runs batches. Calls are idempotent and reject with an ApiError. */
export interface Batches {
  /** Accepts a batch, which runs to its end even if the client disconnects. The deadline counts from now. */
  submit(id: string, head: BatchHead, batch: BatchRequest): Promise<void>;
  /**
   * Returns the batch, or null if the caller has no such batch. Waits until the batch has ended, up to
   * `waitMs`.
   */
  view(id: string, keyName: string | null, waitMs: number): Promise<BatchView | null>;
  /** Cancels a batch and its running verifier requests. Does nothing if the batch has ended. */
  cancel(id: string, keyName: string | null): Promise<BatchView | null>;
  /** Cancels and deletes a batch of any key. Resolves once all its data has been deleted. */
  forget(id: string): Promise<void>;
  /**
   * Lists the caller's batches that were submitted before `before` (null: all), newest first. `next` is the
   * value of `before` for the next page, or null on the last page. A page has up to `limit` rows; deleted
   * batches leave gaps.
   */
  list(
    keyName: string | null,
    before: string | null,
    limit: number,
  ): Promise<{ rows: BatchBrief[]; next: string | null }>;
}

export const isEnded = (state: BatchState): boolean => state !== "queued" && state !== "running";
