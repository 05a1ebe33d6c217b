// The seam between scoring and the world: interfaces only. Adapters live in verifier/ and store/; scoring.ts
// and routes use these.

import type { Question } from "../core/asking/questions.ts";
import type { JudgeExtra } from "../core/contract/judge-extra.ts";
import type { Spec } from "../core/contract/spec.ts";
import type { OwnPreset } from "../core/judges/presets/own.ts";
import type { BreakerState } from "../core/load/breaker.ts";
import type { AnySpec } from "../core/reward/compiled-spec.ts";
import type { BackendStatus, Generation, HeaderSlots, SessionStats, VerifierJob } from "../core/wire/questions.ts";

/** Settings of a session: how to ask, and when to stop. */
export interface VerifierCall {
  form: Spec["judge"]["form"];
  model: string | null;
  temperature: number;
  top_p: number;
  max_tokens: number;
  /** Further fields of the engine's request. */
  extra?: JudgeExtra;
  seed: number;
  /** Each answer is to come with the probabilities of its labels. */
  soft?: boolean;
  /**
   * Aborted with the reason `deadline` or `cancelled` (see ItemErrorCode); every running generation
   * ends at once.
   */
  signal: AbortSignal;
  /** Only the first backend may judge, whatever befalls it. */
  strict_model?: boolean;
  /**
   * The caller as a name that reveals no key: parties share a backend fairly, and one party's failures stop
   * no other. Absent: unknown.
   */
  tenant?: string;
  /** What is there at the deadline is of use: questions go as a job lists them. */
  in_order?: boolean;
  /**
   * Names what several calls belong to: at a gateway they share their turns, and go by the best
   * priority among them. Absent: each is its own.
   */
  work?: string;
  /** Lower goes first at a gateway and at engines that know priorities; 0 where nothing is said. */
  priority?: number;
  header_slots?: HeaderSlots; // Shared with the other sessions of the same request; a session's own when left out.
  /**
   * `Clock.now()` at which the signal will abort with `deadline`, where known: what the backend
   * fails at is asked again until then.
   */
  deadline_at?: number;
  hand_on?: boolean; // Another backend takes over what this one fails at: it gives up soon, not at the deadline.
  /**
   * Given where another backend stands by: one of which nothing at all is heard for so long is
   * given up as `verifier_unavailable`.
   */
  silence_ms?: number;
}

/** One request's use of a verifier. The fan-out bounds hold over all jobs of a session together. */
export interface VerifierSession {
  /**
   * Asks every question of the job and reports each sample exactly once through `sink`, in any
   * order, then resolves. Never rejects for a backend's fault: that is a Generation with `error`.
   * After the signal's abort it reports what is left with the abort's reason and resolves without
   * waiting for the backend.
   */
  judge(job: VerifierJob, sink: (generation: Generation) => void): Promise<void>;
  readonly stats: SessionStats;
}

export interface Health {
  ok: boolean;
  latency_ms: number;
  /** A short word for people, never an internal address. */
  detail?: string;
  /** Tokens of the model's context, prompt and answer together, where the backend says. */
  context_tokens?: number;
  /** Health of each backend of a verifier with several, in order. */
  backends?: readonly BackendHealth[];
}

interface BackendHealth extends Omit<Health, "backends"> {
  name: string;
  breaker: BreakerState;
}

export interface Verifier {
  /** Names the protocol, e.g. `openai`. */
  readonly protocol: string;
  /** The kinds of questions it answers; absent: chat alone. */
  readonly takes?: readonly Question["to"][];
  /** The model that it is configured to ask for; absent or null: its backend knows it. */
  readonly model?: string | null;
  /** It runs programs on the examples in the prompt, and judges nothing else. */
  readonly programs_only?: boolean;
  /** It is a stand-in, whose verdicts are made up. */
  readonly simulated?: boolean;
  /** Most generations one request may ask for. */
  readonly generations_max: number;
  session(call: VerifierCall): VerifierSession;
  /** Is the backend reachable and serving? Never throws; bounded by readiness_timeout_ms. */
  check(): Promise<Health>;
  /** Names of fields that a judge may add to an engine's request; absent: none. */
  readonly extra?: readonly string[];
  /** Why a question may not go to this address; null where it may. Absent: questions name none. */
  addressFault?(address: string): string | null;
  /** Absent: nothing to tell, as of a stand-in. */
  backends?(): readonly BackendStatus[];
}

/** A spec as a list shows it. */
interface NamedSpec {
  name: string;
  spec: AnySpec | null;
  updated_at: Date;
}

/** Specs stored under a name. */
export interface SpecStore {
  get(name: string): Promise<AnySpec | null>;
  save(name: string, spec: AnySpec): Promise<void>;
  /**
   * A page of stored specs by name, ascending, of the names behind `after` (null: all); `spec` is
   * null where it is no longer valid.
   */
  page(after: string | null, limit: number): Promise<{ rows: NamedSpec[]; more: boolean }>;
  /** Names of stored specs, ascending; at most `limit`. */
  names(limit: number): Promise<string[]>;
}

/** A deployment's own presets, stored under a name. */
export interface TemplateStore {
  get(name: string): Promise<OwnPreset | null>;
  save(template: OwnPreset): Promise<void>;
  /** Names of stored templates, ascending; at most `limit`. */
  names(limit: number): Promise<string[]>;
}

export interface Clock {
  /** Monotonic enough for durations, ms. */
  now(): number;
  date(): Date;
  /** Calls `run` once, `ms` later, unless the returned function was called before. */
  after(ms: number, run: () => void): () => void;
}

/** The part of the Workers AI binding that is used; workers-types knows no decision models. */
export interface AiBinding {
  run(model: string, input: unknown, options: { signal: AbortSignal }): Promise<unknown>;
}

/** The part of a Queue binding that is used. */
export interface QueueBinding {
  sendBatch(messages: Iterable<{ body: string; contentType: "text" }>): Promise<unknown>;
}
