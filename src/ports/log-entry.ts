// Defines what one request leaves in the run log, as it is written. Interfaces only.

import type { Circles } from "../core/asking/comparison.ts";
import type { GenerationFacts } from "../core/asking/readings.ts";
import type { SignalRow } from "../core/contract/export-tables.ts";
import type { BatchMetrics, GroupResult } from "../core/contract/replies.ts";
import type { LoggedVerdict } from "../core/reward/replay/logged-group.ts";

/** One generation as logged. */
export interface VerdictRow extends LoggedVerdict, GenerationFacts {
  /** By place shown, the turn that it names, or null; absent: it names none. */
  turns?: readonly (number | null)[];
}

/** One generation of an audit's judge as logged: of no signal, and behind no reward. */
export type AuditVerdictRow = Omit<VerdictRow, "signal">;

/** One rollout as logged beside its result. */
export interface RolloutRow {
  length_tokens: number | null;
  finish_reason: string | null;
  pass_rate: number | null;
  /** SHA-256 hex of the rollout's text. */
  text_hash: string;
  /** SHA-256 hex of the extracted candidate; null when there is none. */
  candidate_hash: string | null;
  /** Only when the spec says log_texts. */
  text: string | null;
  /** SHA-256 hex of each turn as JSON; absent of a text. */
  turn_hashes?: readonly string[];
}

export interface GroupEntry {
  result: GroupResult;
  /** SHA-256 hex of the prompt's canonical JSON. */
  prompt_hash: string;
  /** Only when the spec says log_texts. */
  prompt: string | null;
  language: string | null;
  /** Null where nothing was compared. */
  circles: Circles | null;
  rollouts: readonly RolloutRow[];
  verdicts: readonly VerdictRow[];
  /** Only where the spec has signals. */
  signals?: readonly SignalRow[];
  /** Each rollout's score by the audit's judge; only of a group that was audited. */
  audit?: readonly (number | null)[];
  /** The verdicts of the audit's judge, for any group that it was asked about. */
  audit_verdicts?: readonly AuditVerdictRow[];
}

/** Everything one /v1/rewards or /v1/verdicts request leaves in the log. */
export interface LogEntry {
  /** ULID; sorts by time. */
  request_id: string;
  /** `attempt`: the client left before its rewards, so its run leaves it out of steps, groups and totals. */
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
  /** US dollars that its questions cost; absent where that is not known. */
  usd?: number;
  groups: readonly GroupEntry[];
}
