// Rows that reads of the run log return. Interfaces only.

import type { StoredSignal, StoredText, StoredTurns } from "../core/contract/export-tables.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import type { RunMetadata } from "../core/contract/run-metadata.ts";
import type { Verdict } from "../core/judges/verdicts.ts";
import type { LogEntry, VerdictRow } from "./log-entry.ts";

export interface Page<T> {
  rows: T[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export interface RunSummary {
  run_id: string;
  /** The key's name; null if the run was written without keys. */
  owner: string | null;
  first_step: number | null;
  last_step: number | null;
  first_at: string;
  last_at: string;
  requests: number;
  groups: number;
  rollouts: number;
  reward_mean: number | null;
  parse_rate: number | null;
  /** Verifier tokens, as counted by the engine. */
  prompt_tokens: number;
  completion_tokens: number;
}

export interface RunDetail extends RunSummary {
  /** Null if the owner has set none. */
  metadata: RunMetadata | null;
  /** `cut_share`: the share of the judge's answers that were unreadable and ended at the token limit. */
  specs: { spec_hash: string; spec: unknown; requests: number; first_at: string; cut_share: number | null }[];
}

/** One signal of a run's specs at a step. */
export interface StepSignal {
  /** Mean of the known values; null if there are none. */
  mean: number | null;
  /** Number of rollouts that should have a value. */
  rollouts: number;
  /** Number of rollouts without a value, by code. */
  nulls: Record<string, number>;
}

export interface StepRow {
  step: number | null;
  /** When the step's first request was logged. */
  first_at: string;
  /** When the step's last request was logged. */
  last_at: string;
  requests: number;
  groups: number;
  rollouts: number;
  reward_mean: number | null;
  reward_std: number | null;
  /**
   * Share of complete groups whose rewards are all equal; such groups give a group-relative trainer no
   * gradient.
   */
  zero_variance_share: number | null;
  parse_rate: number | null;
  tau_b_mean: number | null;
  list_acc: number | null;
  length_tokens: { p50: number | null; p95: number | null };
  /** Mean share of multi-turn rollouts that was shown to judges; omitted if there are none. */
  shown_mean?: number;
  generations: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** US dollars that the step's questions cost; omitted unless known for every request. */
  usd?: number;
  latency_ms: { p50: number | null; p99: number | null };
  errors: Record<string, number>;
  /**
   * Distinct warnings of the step's requests, ascending. A warning about the parse rate states the parse rate
   * of the step.
   */
  warnings: string[];
  /** Signals by name, if requested; `base`, `format` and `overlong` for a spec without signals. */
  signals?: Record<string, StepSignal>;
}

export interface GroupRow {
  /** `<request_id>.<group index>`; sorts by time. */
  id: string;
  request_id: string;
  run_id: string | null;
  step: number | null;
  spec_hash: string;
  created_at: string;
  prompt_hash: string;
  /** First words of the prompt; omitted unless the prompt is stored and has any. */
  prompt_begins?: string;
  language: string | null;
  /** Null if the rollout had no label. */
  pass_rates: (number | null)[];
  /** Null if the client sent none. */
  length_tokens: (number | null)[];
  finish_reasons: (string | null)[];
  rewards: (number | null)[];
  /** Each rollout's score by the audit's judge; set only for an audited group. */
  audit?: (number | null)[];
  /** Number of turns of each rollout; null for a plain string. Omitted if all rollouts are plain strings. */
  turns?: (number | null)[];
  /**
   * `verdicts`: the rollouts are answers of a verifier in training, and pass_rates say which are correct.
   * Omitted for ordinary rollouts.
   */
  kind?: "verdicts";
  /** The group's result as sent to the client. */
  result: GroupResult;
}

/** One logged request; `groups` is empty for a /v1/verdicts request whose answers were not stored. */
export interface RequestRow
  extends Pick<LogEntry, "request_id" | "kind" | "run_id" | "step" | "spec_hash" | "metrics" | "timing_ms" | "items"> {
  /** The key's name; null if the request was sent without a key. */
  owner: string | null;
  created_at: string;
  warnings: string[];
  groups: GroupRow[];
}

export interface StoredVerdict extends Omit<VerdictRow, "order" | "verdict" | "turns"> {
  group_id: string;
  order: number[];
  turns?: (number | null)[];
  /** Omitted if `letter` or `scores` contain the verdict. */
  verdict?: Verdict;
}

export type StoredAuditVerdict = Omit<StoredVerdict, "signal">;

/** The verdicts about a group. */
export interface GroupVerdicts {
  verdicts: StoredVerdict[];
  /** Verdicts of the audit's judge; empty if the group was not audited. */
  audit: StoredAuditVerdict[];
}

export type ExportRow = GroupRow | StoredVerdict | StoredAuditVerdict | StoredText | StoredSignal | StoredTurns;
