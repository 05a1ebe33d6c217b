// Owns the seam between scoring and the world: interfaces only. Adapters live in verifier/ and store/; scoring.ts and routes use these.
import type { BreakerState } from "./core/breaker.ts";
import type { BatchMetrics, GroupResult, VerdictStatus } from "./core/contract-replies.ts";
import type { ItemErrorCode } from "./core/errors.ts";
import type { ExportTable, StoredText } from "./core/export-tables.ts";
import type { ClientProbe, GatheredReward, GatheredSample } from "./core/gathering.ts";
import type { Spec } from "./core/spec.ts";
import type { BackendStatus, Generation, HeaderSlots, SessionStats, VerifierJob } from "./core/verifying.ts";

// ---------------------------------------------------------------- verifier

/** What a session needs to know once: how to ask, and when to stop. */
export interface VerifierCall {
  prompt: string;
  form: Spec["judge"]["form"];
  model: string | null;
  temperature: number;
  top_p: number;
  max_tokens: number;
  seed: number;
  /** Aborted with the reason `deadline` or `cancelled` (see ItemErrorCode); every running generation ends at once. */
  signal: AbortSignal;
  /** Only the first backend may judge, whatever befalls it. */
  strict_model?: boolean;
  /** Shared with the other sessions of the same request; a session's own when left out. */
  header_slots?: HeaderSlots;
  /** `Clock.now()` at which the signal will abort with `deadline`, where known: a wait that cannot fit then ends at once. */
  deadline_at?: number;
  /** Given where another backend stands by: one of which nothing at all is heard for so long is given up as `verifier_unavailable`. */
  silence_ms?: number;
}

/** One request's use of a verifier. The fan-out bounds hold over all jobs of a session together. */
export interface VerifierSession {
  /**
   * Asks every comparison of the job and reports each sample exactly once through `sink`, in any order, then resolves.
   * Never rejects for a backend's fault: that is a Generation with `error`. After the signal's abort it reports what is
   * left with the abort's reason and resolves without waiting for the backend.
   */
  judge(job: VerifierJob, sink: (generation: Generation) => void): Promise<void>;
  readonly stats: SessionStats;
}

export interface Health {
  ok: boolean;
  latency_ms: number;
  /** A short word for people, never an internal address. */
  detail?: string;
  /** Of a verifier with several backends, each in order. */
  backends?: readonly BackendHealth[];
}

export interface BackendHealth extends Omit<Health, "backends"> {
  name: string;
  breaker: BreakerState;
}

export interface Verifier {
  /** Names the protocol, e.g. `openai`. */
  readonly protocol: string;
  /** Most generations one request may ask for. */
  readonly generations_max: number;
  session(call: VerifierCall): VerifierSession;
  /** Is the backend reachable and serving? Never throws; bounded by readiness_timeout_ms. */
  check(): Promise<Health>;
  /** Absent: nothing to tell, as of a stand-in. */
  backends?(): readonly BackendStatus[];
}

// ---------------------------------------------------------------- run log

/** One generation as logged. */
export interface VerdictRow {
  comparison: number;
  sample: number;
  /** Rollout indices in the order shown (letter A first): each class by its first member. */
  order: readonly number[];
  letter: string | null;
  scores: readonly number[] | null;
  /** Parser status (`cut_by_length`: stopped at max_tokens or for repeating itself; finish_reason says which), or null when the generation failed. */
  status: VerdictStatus | "cut_by_length" | null;
  error: ItemErrorCode | null;
  finish_reason: string | null;
  prompt_tokens: number;
  completion_tokens: number;
  latency_ms: number;
  /** The model that answered, and the backend it answered from; null when none did, or in rows older than the columns. */
  model: string | null;
  backend: string | null;
}

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
}

export interface GroupEntry {
  result: GroupResult;
  /** SHA-256 hex of the prompt's canonical JSON. */
  prompt_hash: string;
  /** Only when the spec says log_texts. */
  prompt: string | null;
  language: string | null;
  rollouts: readonly RolloutRow[];
  verdicts: readonly VerdictRow[];
}

/** Everything one /v1/rewards or /v1/verdicts request leaves in the log. */
export interface LogEntry {
  /** ULID; sorts by time. */
  request_id: string;
  kind: "rewards" | "verdicts";
  run_id: string | null;
  step: number | null;
  key_name: string | null;
  spec_hash: string;
  /** Canonical JSON of the spec (for `verdicts`: formulation, options, overlong). */
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

export interface RunSummary {
  run_id: string;
  first_step: number | null;
  last_step: number | null;
  first_at: string;
  last_at: string;
  requests: number;
  groups: number;
  rollouts: number;
  reward_mean: number | null;
  parse_rate: number | null;
}

export interface RunDetail extends RunSummary {
  specs: { spec_hash: string; spec: unknown; requests: number; first_at: string }[];
}

export interface StepRow {
  step: number | null;
  requests: number;
  groups: number;
  rollouts: number;
  reward_mean: number | null;
  reward_std: number | null;
  /** Share of groups whose rewards are all equal: they teach a group-relative trainer nothing. */
  zero_variance_share: number | null;
  parse_rate: number | null;
  tau_b_mean: number | null;
  list_acc: number | null;
  length_tokens: { p50: number | null; p95: number | null };
  generations: number;
  prompt_tokens: number;
  completion_tokens: number;
  latency_ms: { p50: number | null; p99: number | null };
  errors: Record<string, number>;
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
  rewards: (number | null)[];
  /** The group as it was answered. */
  result: GroupResult;
}

/** One logged request; `groups` is empty for /v1/verdicts, which logs its metrics only. */
export interface RequestRow
  extends Pick<LogEntry, "request_id" | "kind" | "run_id" | "step" | "spec_hash" | "metrics" | "timing_ms" | "items"> {
  created_at: string;
  warnings: string[];
  groups: GroupRow[];
}

export interface StoredVerdict extends Omit<VerdictRow, "order"> {
  group_id: string;
  order: number[];
}

export interface RunLog {
  /** Writes the whole entry or nothing, in one round trip; safe to repeat (same request_id: no second row). Rejects when it could not. */
  append(entry: LogEntry): Promise<void>;
  runs(page: { cursor: string | null; limit: number }): Promise<Page<RunSummary>>;
  run(runId: string): Promise<RunDetail | null>;
  steps(runId: string): Promise<StepRow[]>;
  groups(runId: string, page: { step: number | null; cursor: string | null; limit: number }): Promise<Page<GroupRow>>;
  /** What a reply's request_id finds; null when it was not logged. */
  request(requestId: string): Promise<RequestRow | null>;
  /** null when there is no such group. */
  verdicts(groupId: string): Promise<StoredVerdict[] | null>;
  /** Rows of a whole run, page by page, oldest first. */
  exportRows(runId: string, table: ExportTable): AsyncIterable<GroupRow | StoredVerdict | StoredText>;
  check(): Promise<Health>;
}

/** Where entries go that are stored after the reply. */
export interface LogQueue {
  /** Resolves when the queue has taken the whole entry. Rejects when it refuses, does not answer in time, or a row is over its limits. */
  send(entry: LogEntry): Promise<void>;
}

/** The part of a Queue binding that is used. */
export interface QueueBinding {
  sendBatch(messages: Iterable<{ body: string; contentType: "text" }>): Promise<unknown>;
}

/** The part that is used of the namespace of the Durable Objects that keep dead letters. */
export interface LettersNamespace {
  getByName(name: string): DeadLetters;
}

/** A message that cannot be stored as it is. */
export interface DeadLetter {
  /** The message's id; the same letter may come again. */
  id: string;
  /** A word: `bad_envelope`, `unknown_column`, `unstorable`, `sql_<SQLSTATE>`, or `retries_exhausted`. */
  reason: string;
  attempts: number;
  body: string;
}

export interface DeadLetterSummary {
  letters: number;
  bytes: number;
  first_at: string | null;
  last_at: string | null;
  reasons: { reason: string; letters: number }[];
}

export interface ReplayOutcome {
  replayed: number;
  /** Letters of before `before` that are left. */
  remaining: number;
  before: string;
}

/** Keeps letters without the database, and puts them back on the queue. */
export interface DeadLetters {
  put(letters: readonly DeadLetter[]): Promise<void>;
  summary(): Promise<DeadLetterSummary>;
  /** Puts back at most `limit` letters that last came before `before` (an ISO instant; null = now), oldest first. */
  replay(limit: number, before: string | null): Promise<ReplayOutcome>;
}

/** Specs stored under a name. */
export interface SpecStore {
  get(name: string): Promise<Spec | null>;
  put(name: string, spec: Spec): Promise<void>;
  /** Names of stored specs, ascending; at most `limit`. */
  names(limit: number): Promise<string[]>;
}

// ---------------------------------------------------------------- group rooms

/** Where the one-sample requests of a group meet. */
export interface GroupRooms {
  /**
   * Resolves with this sample's reward, always within answer_within_ms (then reward null, error `deadline`; `cancelled`
   * after the signal's abort). Rejects with an ApiError for a fault of the request only, never for a verifier's.
   * Without `probe` the client counts as there until the signal aborts.
   */
  join(sample: GatheredSample, signal: AbortSignal, probe?: ClientProbe): Promise<GatheredReward>;
}

// ---------------------------------------------------------------- small ones

export interface Clock {
  /** Monotonic enough for durations, ms. */
  now(): number;
  date(): Date;
}
