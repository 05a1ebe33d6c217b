// The seam between the gateway's scheduling and the engines: what a generation is asked with, what it brings.
// Must not know HTTP.
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import type { Anchor } from "../../../src/core/judges/parsers/parser.ts";
import type { SoftLabels } from "../../../src/core/judges/soft-reader.ts";
import type { VerifyRequest } from "../../../src/core/wire/verify-protocol.ts";
import type { EngineKind } from "./gauges.ts";
import type { Readiness } from "./readiness.ts";

export interface EngineCall {
  /** Whether the question is one raw text to complete (presets of style `completion`). */
  completion: boolean;
  /** As the request's body has it: `"messages":[…]` or `"prompt":"…"`. */
  question: string;
  /** null: the pool's model. */
  model: string | null;
  temperature: number;
  top_p: number;
  /** Further fields of the request. */
  extra?: VerifyRequest["extra"];
  max_tokens: number;
  seed: number;
  /** Calls of one group carry the same key: they go to the same replica while that is not worse for load. */
  affinity: string;
  /** Most characters of the answer that are returned, its last; default ANSWER_SEGMENT_CHARS. */
  answer_chars?: number;
  /** Where the label stands whose probabilities are wanted; null: not asked. */
  anchor: Anchor | null;
  /** The prompt's name, or the template itself, for an engine that is the simulator. */
  prompt?: string;
  /** Lower goes first within an engine that knows priorities; 0 where nothing is said. */
  priority: number;
  /** Engine failures are asked again until the signal aborts. */
  patient: boolean;
  /** When the signal will abort, on the pool's clock; a wait beyond it is not begun. Absent: not known. */
  deadline_at?: number;
  /**
   * Aborted with the reason `deadline`, or any other for `cancelled`: the engine is asked to stop at once.
   */
  signal: AbortSignal;
}

export interface EngineAnswer {
  /**
   * The segment after the last `</think>`, at most `answer_chars`, its end kept; empty when
   * it failed or is `unclosed`.
   */
  answer: string;
  thinking: "none" | "closed" | "unclosed";
  /** `stop`, `length`, `repetition`, or what else the engine said; null when it failed. */
  finish_reason: string | null;
  /** 0 where the engine did not say, as when it was cut short. */
  prompt_tokens: number;
  /** Generated, also when the call failed or was aborted. */
  completion_tokens: number;
  /** From the call, ms, retries and waits included. */
  first_token_ms: number | null;
  total_ms: number;
  /** For a call with an anchor; null where none was seen. */
  soft: SoftLabels | null;
  /** The model's name as the engine gives it; null when it did not, or failed. */
  model: string | null;
  error: ItemErrorCode | null;
  /** Why the engine refused the question, fit for people; where it said so. */
  reason?: string | null;
  /** How long the engine asked to be left alone, ms; where it said so. */
  retry_after_ms?: number;
  /** Whether the same question, asked again later, may be answered. */
  retryable: boolean;
}

export interface EnginePool {
  /**
   * Never rejects. One generation on the best replica; when that one dies (connection, 5xx, a reply
   * that breaks off), also after the answer began, or refuses for load, it is asked again, on
   * another where there is one, as fast as the retry budget allows: at most LIMITS.retries_max
   * times, or as long as it takes where the call is patient. A question that fails
   * LIMITS.question_failures_max times while others are answered is given up as its own doing. It
   * waits for room where a replica's cap is reached, so calling beyond
   * `capacity` is safe.
   */
  generate(call: EngineCall): Promise<EngineAnswer>;
  /**
   * Generations that may be in flight now over all healthy replicas; over all, when none is
   * healthy. At least 1.
   */
  readonly capacity: number;
  /** Calls not yet answered. */
  readonly in_flight: number;
  /** Called when capacity rises or a place frees, so that a scheduler pumps. */
  onRoom(listener: () => void): void;
  /**
   * How model text is made harmless for these engines. Settles once each was asked for its tokens,
   * within readiness_timeout_ms; never rejects.
   */
  escape(): Promise<Escape>;
  /**
   * Does a healthy replica serve the model, and is every token of its tokenizer broken? Never
   * rejects.
   */
  ready(): Promise<Readiness>;
  /** Names of the models that the replicas serve. Never rejects. */
  models(): Promise<string[]>;
  /** Prometheus lines of the pool and its replicas. */
  metrics(): string;
  /** Ends the polls and every connection; what is in flight fails. */
  close(): Promise<void>;
}

/** Runs something later, once; the returned function takes it back. */
export type Schedule = (run: () => void, ms: number) => () => void;

export interface EnginePoolConfig {
  /** Base URLs of OpenAI-compatible engines, one a replica; see `apiRoot` for their forms. */
  urls: readonly string[];
  /** The model's name at the engines, for calls that name none. */
  model: string;
  apiKey: string | null;
  /** Generations in flight at most, a replica; default LIMITS.generations_in_flight_default. */
  maxInFlight?: number;
  /**
   * The engines' kind; null: found out by their metrics pages. SGLang learns by `/abort_request` what is
   * given up.
   */
  kind?: EngineKind | "other" | null;
  /** The engines are the simulator: they receive a deployment's stored template. Default false. */
  simulated?: boolean;
  /** The served tokenizer's tokens, for engines that do not tell them. */
  tokens?: readonly string[];
  /**
   * Takes log lines. Where it is given, each engine that comes up is asked something easy, and a fault that
   * would spoil every verdict is reported.
   */
  report?: ((line: Record<string, unknown>) => void) | undefined;
  /**
   * For tests: timers of the polls and waits, randomness of their jitter, the clock for durations
   * (ms).
   */
  schedule?: Schedule;
  random?: () => number;
  now?: () => number;
}
