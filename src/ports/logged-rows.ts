// The rows in which the run log is read back. Interfaces only.

import type { StoredSignal, StoredText, StoredTurns } from "../core/contract/export-tables.ts";
import type { GroupResult } from "../core/contract/replies.ts";
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
  /** The key's name; null where the run was written without keys. */
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
  /** The verifier's tokens, as its engine counted them. */
  prompt_tokens: number;
  completion_tokens: number;
}

export interface RunDetail extends RunSummary {
  /** Null where nothing was said of it. */
  metadata: RunMetadata | null;
  /** `cut_share`: of the judge's answers, those that could not be read and ended at the token limit. */
  specs: { spec_hash: string; spec: unknown; requests: number; first_at: string; cut_share: number | null }[];
}

/** One signal of a run's specs at a step. */
export interface StepSignal {
  /** The mean of its known values; null without any. */
  mean: number | null;
  /** All that it was to have a value for. */
  rollouts: number;
  /** Those without a value, by code. */
  nulls: Record<string, number>;
}

export interface StepRow {
  step: number | null;
  /** When the first of its requests was logged. */
  first_at: string;
  requests: number;
  groups: number;
  rollouts: number;
  reward_mean: number | null;
  reward_std: number | null;
  /**
   * Share of complete groups whose rewards are all equal: they teach a group-relative trainer
   * nothing.
   */
  zero_variance_share: number | null;
  parse_rate: number | null;
  tau_b_mean: number | null;
  list_acc: number | null;
  length_tokens: { p50: number | null; p95: number | null };
  /** Mean share that judges saw of rollouts of several turns; absent without any. */
  shown_mean?: number;
  generations: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** US dollars that its questions cost; absent where that is not known of each of its requests. */
  usd?: number;
  latency_ms: { p50: number | null; p99: number | null };
  errors: Record<string, number>;
  /** The warnings of its requests, each once, ascending; one about a parse rate goes by the step's own. */
  warnings: string[];
  /** By name, where they are asked for; `base`, `format` and `overlong` of a spec without signals. */
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
  language: string | null;
  /** null where the rollout had no label. */
  pass_rates: (number | null)[];
  /** null where the client sent none. */
  length_tokens: (number | null)[];
  finish_reasons: (string | null)[];
  rewards: (number | null)[];
  /** The score of each by the audit's judge; only of a group that was audited. */
  audit?: (number | null)[];
  /** How many turns each has; null of a text. Only of a group that is not of texts alone. */
  turns?: (number | null)[];
  /** `verdicts`: answers of a verifier in training; its pass_rates say which are right. Absent: rollouts. */
  kind?: "verdicts";
  /** The group as it was answered. */
  result: GroupResult;
}

/** One logged request; `groups` is empty for a /v1/verdicts request whose texts were not stored. */
export interface RequestRow
  extends Pick<LogEntry, "request_id" | "kind" | "run_id" | "step" | "spec_hash" | "metrics" | "timing_ms" | "items"> {
  /** The key's name; null where the request came without keys. */
  owner: string | null;
  created_at: string;
  warnings: string[];
  groups: GroupRow[];
}

export interface StoredVerdict extends Omit<VerdictRow, "order" | "verdict" | "turns"> {
  group_id: string;
  order: number[];
  turns?: (number | null)[];
  /** Left out where a letter or scores say it. */
  verdict?: Verdict;
}

export type StoredAuditVerdict = Omit<StoredVerdict, "signal">;

/** The verdicts about a group. */
export interface GroupVerdicts {
  verdicts: StoredVerdict[];
  /** By the audit's judge; empty where the group was not audited. */
  audit: StoredAuditVerdict[];
}

export type ExportRow = GroupRow | StoredVerdict | StoredAuditVerdict | StoredText | StoredSignal | StoredTurns;
