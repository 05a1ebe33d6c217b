// The entry that one request writes to the run log. Interfaces only.

import type { Circles } from "../core/asking/comparison.ts";
import type { GenerationFacts } from "../core/asking/readings.ts";
import type { SignalRow } from "../core/contract/export-tables.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import type { BatchMetrics } from "../core/contract/rewards-reply.ts";
import type { LoggedVerdict } from "../core/reward/replay/logged-group.ts";

/** One generation as logged. */
export interface VerdictRow extends LoggedVerdict, GenerationFacts {
  /**
   * For each candidate in the order shown, the turn that the verdict names, or null. Omitted if the verdict
   * names no turns.
   */
  turns?: readonly (number | null)[];
}

/** One generation of an audit's judge; belongs to no signal and affects no reward. */
export type AuditVerdictRow = Omit<VerdictRow, "signal">;

/** One rollout as logged, in addition to its result. */
export interface RolloutRow {
  length_tokens: number | null;
  finish_reason: string | null;
  pass_rate: number | null;
  /** SHA-256 hex of the rollout's text. */
  text_hash: string;
  /** SHA-256 hex of the extracted candidate; null if there is none. */
  candidate_hash: string | null;
  /** Set only if the spec sets log_texts. */
  text: string | null;
  /** SHA-256 hex of each turn's JSON; omitted if the rollout is a plain string. */
  turn_hashes?: readonly string[];
}

export interface GroupEntry {
  result: GroupResult;
  /** SHA-256 hex of the prompt's canonical JSON. */
  prompt_hash: string;
  /** Set only if the spec sets log_texts. */
  prompt: string | null;
  language: string | null;
  /** Null if no candidates were compared. */
  circles: Circles | null;
  rollouts: readonly RolloutRow[];
  verdicts: readonly VerdictRow[];
  /** Set only if the spec has signals. */
  signals?: readonly SignalRow[];
  /** Each rollout's score by the audit's judge; set only for an audited group. */
  audit?: readonly (number | null)[];
  /** Verdicts of the audit's judge, for every group about which that judge was asked. */
  audit_verdicts?: readonly AuditVerdictRow[];
}

/** All data that one /v1/rewards or /v1/verdicts request writes to the log. */
export interface LogEntry {
  /** ULID; sorts by time. */
  request_id: string;
  /**
   * `attempt`: the client disconnected before its rewards, so the run's steps, groups and totals exclude the
   * request.
   */
  kind: "rewards" | "verdicts" | "attempt";
  run_id: string | null;
  step: number | null;
  key_name: string | null;
  spec_hash: string;
  /** Canonical JSON of the spec (for `verdicts`: formulation, options, overlong, log_texts). */
  spec: string;
  created_at: Date;
  metrics: BatchMetrics;
  timing_ms: { total: number; verifier: number; overhead: number };
  items: number;
  warnings: readonly string[];
  /** US dollars that the questions cost; omitted if unknown. */
  usd?: number;
  groups: readonly GroupEntry[];
}
