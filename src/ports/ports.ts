// The ports between scoring and the outside world. Interfaces only; the adapters are in verifier/ and
// run-log/.

import type { Question } from "../core/asking/questions.ts";
import type { EstimatedJob, RequestCost, TextLengths } from "../core/asking/request-cost.ts";
import type { JudgeExtra } from "../core/contract/judge-extra.ts";
import type { JudgeSettings } from "../core/contract/judge-settings.ts";
import type { OwnPreset } from "../core/judges/presets/own.ts";
import type { BreakerState } from "../core/load/breaker.ts";
import type { Spec } from "../core/reward/spec.ts";
import type { BackendStatus, Generation, HeaderSlots, SessionStats, VerifierJob } from "../core/wire/questions.ts";
import type { ProbedBackend, ReadStatus } from "./read-probes.ts";

/** Settings of a session: how to ask, and when to stop. */
export interface VerifierCall {
  form: JudgeSettings["form"];
  model: string | null;
  temperature: number;
  top_p: number;
  max_tokens: number;
  /** Additional fields for the engine's request. */
  extra?: JudgeExtra;
  seed: number;
  /** Whether each answer must include the probabilities of its labels. */
  soft?: boolean;
  /**
   * Aborts with the reason `deadline` or `cancelled` (see ItemErrorCode); every running generation ends at
   * once.
   */
  signal: AbortSignal;
  /** Whether only the first backend may judge, without failover. */
  strict_model?: boolean;
  /**
   * The caller, under a name that does not reveal its key. Tenants share a backend fairly, and one tenant's
   * failures do not block another. Omitted if unknown.
   */
  tenant?: string;
  /** Whether partial results at the deadline are useful. If so, questions are asked in the job's order. */
  in_order?: boolean;
  /**
   * Identifies the work that several calls belong to: a gateway schedules them together, with the best
   * priority among them. If omitted, each call is scheduled on its own.
   */
  work?: string;
  /** Lower values go first, at a gateway and at engines with priorities; the default is 0. */
  priority?: number;
  header_slots?: HeaderSlots; // Shared between sessions of one request; private if omitted.
  /**
   * The time, by `Clock.now()`, at which the signal will abort with `deadline`, if known. Failed questions
   * are retried until then.
   */
  deadline_at?: number;
  hand_on?: boolean; // Whether a failover backend exists, so that this one gives up before the deadline.
  /**
   * Set if a failover backend exists: a backend that sends nothing for this long fails with
   * `verifier_unavailable`.
   */
  silence_ms?: number;
}

/** One request's use of a verifier. The fan-out limits apply to all jobs of a session together. */
export interface VerifierSession {
  /**
   * Asks every question of the job, reports each sample exactly once through `sink`, in any order, and then
   * resolves. Never rejects for a backend failure, which is reported as a Generation with `error`. After the
   * signal aborts, reports the remaining samples with the abort's reason and resolves without waiting for the
   * backend.
   */
  judge(job: VerifierJob, sink: (generation: Generation) => void): Promise<void>;
  readonly stats: SessionStats;
}

export interface Health {
  ok: boolean;
  latency_ms: number;
  /** A short human-readable description, never an internal address. */
  detail?: string;
  /** Context length of the model in tokens, prompt and answer together, if the backend reports it. */
  context_tokens?: number;
  /** Health of each backend in order, for a verifier with several. */
  backends?: readonly BackendHealth[];
  /** Outcome of each decision model's last daily probe. */
  reading?: readonly ReadStatus[];
}

interface BackendHealth extends Omit<Health, "backends" | "reading"> {
  name: string;
  breaker: BreakerState;
}

export interface Verifier {
  /** The protocol, e.g. `openai`. */
  readonly protocol: string;
  /** Kinds of questions that the verifier answers; chat only if omitted. */
  readonly takes?: readonly Question["to"][];
  /** Kinds of questions that cannot show images; omitted: none. */
  readonly imageless?: readonly Question["to"][];
  /** The configured model; omitted or null if the backend chooses it. */
  readonly model?: string | null;
  /** Whether the verifier only runs programs on the examples in the prompt. */
  readonly programs_only?: boolean;
  /** Whether the verifier is a simulator, whose verdicts are invented. */
  readonly simulated?: boolean;
  /** Maximum number of generations per request. */
  readonly generations_max: number;
  session(call: VerifierCall): VerifierSession;
  /**
   * Estimates the requests of a job and their input tokens, if they differ from one request per generation
   * with the prompt and the candidates that it shows. Omitted: they do not.
   */
  requestCost?(job: EstimatedJob, lengths: TextLengths): Partial<RequestCost>;
  /** Checks that the backend is reachable and serving. Never throws; limited to readiness_timeout_ms. */
  check(): Promise<Health>;
  /** Fields that a judge may add to an engine's request; none if omitted. */
  readonly extra?: readonly string[];
  /** Why a question may not be sent to this address; null if it may. Omitted if questions have no address. */
  addressFault?(address: string): string | null;
  /** State of each backend. Omitted if there is none, as for a simulator. */
  backends?(): readonly BackendStatus[];
  /** Backends that can be probed for what they read. Omitted if there are none. */
  probed?(): readonly ProbedBackend[];
}

/** A named spec as listed. */
interface NamedSpec {
  name: string;
  spec: Spec | null;
  updated_at: Date;
}

/** Specs stored under a name. */
export interface SpecStore {
  get(name: string): Promise<Spec | null>;
  save(name: string, spec: Spec): Promise<void>;
  /**
   * A page of stored specs with names after `after` (null: from the start), ascending; `spec` is null if it
   * is no longer valid.
   */
  page(after: string | null, limit: number): Promise<{ rows: NamedSpec[]; more: boolean }>;
  /** Names of stored specs, ascending; at most `limit`. */
  names(limit: number): Promise<string[]>;
}

/** Custom presets, stored under a name. */
export interface TemplateStore {
  get(name: string): Promise<OwnPreset | null>;
  save(template: OwnPreset): Promise<void>;
  /** Names of stored templates, ascending; at most `limit`. */
  names(limit: number): Promise<string[]>;
}

/** The time by which windows, leases, alarms and time-outs run. */
export interface Timers {
  /** Milliseconds since 1970, monotonic within a process. */
  now(): number;
  /** Calls `run` once after `ms`, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` every `ms`, until the returned function is called. */
  every(ms: number, run: () => void): () => void;
}

/** The time that requests are stamped with and measured by. */
export interface Clock extends Timers {
  date(): Date;
}

/** The part of the Workers AI binding used here; workers-types lacks the decision models. */
export interface AiBinding {
  run(model: string, input: unknown, options: { signal: AbortSignal }): Promise<unknown>;
}

/** The part of a Queue binding used here. */
export interface QueueBinding {
  sendBatch(messages: Iterable<{ body: string; contentType: "text" }>): Promise<unknown>;
}
