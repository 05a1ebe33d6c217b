// Owns the seam between scoring and the run log: what is logged, and how it is read back.
// Interfaces only.

import type { Circles } from "../core/asking/comparison.ts";
import type { GenerationFacts } from "../core/asking/readings.ts";
import type { ExportTable, SignalRow, StoredSignal, StoredText, StoredTurns } from "../core/contract/export-tables.ts";
import type { Owner, RunKey } from "../core/contract/owner.ts";
import type { BatchMetrics, GroupResult } from "../core/contract/replies.ts";
import type { RunMetadata } from "../core/contract/run-metadata.ts";
import type { HealthRow } from "../core/health/health-row.ts";
import type { Verdict } from "../core/judges/verdicts.ts";
import type { LoggedGroup, LoggedVerdict } from "../core/reward/replay/logged-group.ts";
import type { Health } from "./ports.ts";
import type { RunChanges } from "./run-changes.ts";

/** One generation as logged. */
export interface VerdictRow extends LoggedVerdict, GenerationFacts {
  /** Of each place shown the turn that it names, null of one without; absent: it names none. */
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
  /** Of a spec with signals. */
  signals?: readonly SignalRow[];
  /** Each rollout's score by the audit's judge; only of a group that was audited. */
  audit?: readonly (number | null)[];
  /** What the audit's judge said, of any group that it was asked about. */
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
  groups: readonly GroupEntry[];
}

export interface Page<T> {
  rows: T[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
}

export type { RunKey };

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
  /** Of the verifier, as its engine counted them. */
  prompt_tokens: number;
  completion_tokens: number;
}

export interface RunDetail extends RunSummary {
  /** Null where nothing was said of it. */
  metadata: RunMetadata | null;
  /** `cut_share`: of the judge's answers, those that could not be read and ended at the token limit. */
  specs: { spec_hash: string; spec: unknown; requests: number; first_at: string; cut_share: number | null }[];
}

/** What one signal of a run's specs came to at a step. */
export interface StepSignal {
  /** Of its known values; null without any. */
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
  latency_ms: { p50: number | null; p99: number | null };
  errors: Record<string, number>;
  /** Of its requests, each once, ascending; what tells of a parse rate goes by the step's own. */
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

/** What was said of a group. */
export interface GroupVerdicts {
  verdicts: StoredVerdict[];
  /** By the audit's judge; empty where the group was not audited. */
  audit: StoredAuditVerdict[];
}

export type ExportRow = GroupRow | StoredVerdict | StoredAuditVerdict | StoredText | StoredSignal | StoredTurns;

/**
 * Which steps of a run: those above `after`, from `from` and up to `to`, at most `limit`; null does
 * not bound. Any of the first three leaves out what has no step.
 */
export interface StepRange {
  after: number | null;
  from: number | null;
  to: number | null;
  limit: number | null;
}

/**
 * Steps from `from` and up to `to`; null does not bound, and a bound leaves out what has no step.
 */
export type StepBounds = Pick<StepRange, "from" | "to">;

/** A spec that a run used, as it was logged. */
export interface SpecUse {
  spec_hash: string;
  spec: unknown;
  /** Some request has no step. */
  no_step: boolean;
}

/** Which groups to read: of requests of these specs, with their verdicts or without. */
export interface LoggedWanted {
  spec_hashes: readonly string[];
  verdicts: boolean;
}

/** Which page of groups: of all, or of one step. */
export interface GroupsWanted {
  step: number | null;
  cursor: string | null;
  limit: number;
}

/** Where an owner is asked for, null reads everybody's rows; a run is always one owner's. */
export interface RunLog extends RunChanges {
  /**
   * Writes the whole entry or nothing, in one round trip; safe to repeat (same request_id: no
   * second row). Rejects when it could not.
   */
  append(entry: LogEntry): Promise<void>;
  runs(page: { owner: Owner | null; cursor: string | null; limit: number }): Promise<Page<RunSummary>>;
  /** Who has a run of this id, at most `limit`, by name. */
  owners(runId: string, limit: number): Promise<Owner[]>;
  run(run: RunKey): Promise<RunDetail | null>;
  /** One row a step, ascending, with its signals or without; requests without a step first, under null. */
  steps(run: RunKey, range: StepRange, signals?: boolean): Promise<StepRow[]>;
  /** One row for each of the last `steps` steps, ascending, for the alarms. */
  health(run: RunKey, steps: number): Promise<HealthRow[]>;
  groups(run: RunKey, page: GroupsWanted): Promise<Page<GroupRow>>;
  /** What a reply's request_id finds; null when it was not logged. */
  request(requestId: string, owner: Owner | null): Promise<RequestRow | null>;
  /** A group's prompt and rollouts as far as they were logged; null when there is no such group. */
  texts(groupId: string, owner: Owner | null): Promise<StoredText[] | null>;
  /** null when there is no such group. */
  verdicts(groupId: string, owner: Owner | null): Promise<GroupVerdicts | null>;
  /** Rows of a whole run, page by page, oldest first. */
  exportRows(run: RunKey, table: ExportTable): AsyncIterable<ExportRow>;
  /** Specs of a run's requests for rewards, by hash; one more than rescore_specs_max at most. */
  specsUsed(run: RunKey, steps: StepBounds): Promise<SpecUse[]>;
  /** Whether some rollout of such a request has no length in tokens. */
  lacksLengths(run: RunKey, steps: StepBounds): Promise<boolean>;
  /** A run's groups as they can be scored again, page by page, oldest first. */
  loggedGroups(run: RunKey, steps: StepBounds, wanted: LoggedWanted): AsyncIterable<LoggedGroup>;
  check(): Promise<Health>;
}

/** Where entries go that are stored after the reply. */
export interface LogQueue {
  /**
   * Resolves when the queue has taken the whole entry. Rejects when it refuses, does not answer in
   * time, or a row is over its limits.
   */
  send(entry: LogEntry): Promise<void>;
}
