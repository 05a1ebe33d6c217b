// The stored record of a batch, and the view that is built from it. Independent of scoring and the runtime.

import type { GroupResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import { getJson, getPieces, putJson, putPieces, type Values } from "../storage/values.ts";
import {
  type BatchFault,
  type BatchHead,
  type BatchProgress,
  type BatchRequest,
  type BatchState,
  type BatchView,
  isEnded,
} from "./view.ts";

export interface BatchRecord extends BatchHead {
  batch_id: string;
  state: BatchState;
  created_at: number;
  deadline_at: number;
  ended_at: number | null;
  progress: BatchProgress;
  /** Number of times that the work was started; above 1 after a deployment or a crash. */
  lives: number;
  error: BatchFault | null;
}

const RECORD = "record";
const REQUEST = "request";
const REPLY = "reply";
const GROUP = "group.";

/** Data of a new batch that is stored next to the request. `deadline_ms` counts from the batch's creation. */
export interface NewBatch extends BatchHead {
  deadline_ms: number;
  groups: number;
}

export function newBatch(head: BatchHead, { request: { deadline_ms, groups } }: BatchRequest): NewBatch {
  return { ...head, deadline_ms, groups: groups.length };
}

export function newRecord(batch_id: string, batch: NewBatch, now: number): BatchRecord {
  const { key_name, route, shape, deadline_ms, groups } = batch;
  return {
    ...{ batch_id, key_name, route, shape, state: "queued", lives: 0, error: null },
    ...{ created_at: now, deadline_at: now + deadline_ms, ended_at: null },
    progress: { comparisons_total: 0, comparisons_done: 0, groups_total: groups, groups_done: 0 },
  };
}

/** Typed access to a batch's stored values. */
export class BatchStore {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  record(): BatchRecord | undefined {
    return this.#values.get(RECORD);
  }

  save(record: BatchRecord): void {
    this.#values.set(RECORD, record);
  }

  saveRequest(pieces: readonly Uint8Array[]): void {
    putPieces(this.#values, REQUEST, pieces);
  }

  request(): Uint8Array[] {
    return getPieces(this.#values, REQUEST);
  }

  saveGroup(index: number, result: GroupResult): void {
    this.#values.set(`${GROUP}${`${index}`.padStart(4, "0")}`, { index, ...result });
  }

  groups(): BatchView["results"] {
    return Array.from(this.#values.list<BatchView["results"][number]>(GROUP), ([, result]) => result);
  }

  /** Stores the complete reply and deletes the separately stored groups, which the reply contains. */
  saveReply(reply: RewardsReply): void {
    putPieces(this.#values, GROUP.slice(0, -1), []);
    putJson(this.#values, REPLY, reply);
  }

  /** Deletes the request, so that rollouts are stored no longer than needed. */
  forgetRequest(): void {
    putPieces(this.#values, REQUEST, []);
  }

  view(record: BatchRecord): BatchView {
    const { batch_id, route, shape, state, created_at, deadline_at, ended_at, progress, error } = record;
    const done = state === "done";
    return {
      ...{ batch_id, route, shape, state, created_at, deadline_at, ended_at, progress, error },
      results: done ? [] : this.groups(),
      reply: done ? (getJson<RewardsReply>(this.#values, REPLY) as RewardsReply) : null,
    };
  }
}

export const hasEnded = ({ state }: BatchRecord): boolean => isEnded(state);
