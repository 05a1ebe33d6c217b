// The interface between the gateway's scheduling and the engines: the inputs and the result of a generation.
// Independent of HTTP.
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import type { Anchor } from "../../../src/core/judges/parsers/parser.ts";
import type { SoftLabels } from "../../../src/core/judges/soft-reader.ts";
import type { VerifyRequest } from "../../../src/core/wire/verify-protocol.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import type { EngineKind } from "./gauges.ts";
import type { Readiness } from "./readiness.ts";

export interface EngineCall {
  /** Whether the question is raw text to complete (presets of style `completion`). */
  completion: boolean;
  /** The question as in the request body, `"messages":[…]` or `"prompt":"…"`, in pieces of UTF-8. */
  question: readonly Uint8Array[];
  /** null: the pool's model. */
  model: string | null;
  temperature: number;
  top_p: number;
  /** Additional fields of the request. */
  extra?: VerifyRequest["extra"];
  max_tokens: number;
  seed: number;
  /**
   * Routing key. Calls of one group share a key and go to the same replica unless that replica is overloaded.
   */
  affinity: string;
  /** Maximum characters of the answer that are returned, from its end. Default: ANSWER_SEGMENT_CHARS. */
  answer_chars?: number;
  /** Position of the label whose probabilities are requested; null: not requested. */
  anchor: Anchor | null;
  /** Name of the prompt, or the template itself. Used only by the simulator. */
  prompt?: string;
  /** Lower values go first on engines that support priorities; the default is 0. */
  priority: number;
  /** Whether engine failures are retried until the signal aborts. */
  patient: boolean;
  /** When the signal will abort, on the pool's clock. Longer waits are not started. Undefined: unknown. */
  deadline_at?: number;
  /**
   * Aborts the generation at the engine. The reason `deadline` gives the error `deadline`; any other reason
   * gives `cancelled`.
   */
  signal: AbortSignal;
}

export interface EngineAnswer {
  /**
   * The answer after the last `</think>`, truncated at the front to `answer_chars`. Empty if the call failed
   * or the thinking is `unclosed`.
   */
  answer: string;
  thinking: "none" | "closed" | "unclosed";
  /** `stop`, `length`, `repetition`, or the engine's own value; null if the call failed. */
  finish_reason: string | null;
  /** 0 if the engine did not report it, e.g. because the generation was cut. */
  prompt_tokens: number;
  /** Generated tokens, including those of failed or aborted calls. */
  completion_tokens: number;
  /** Time from the call to the first token, in ms, including retries and waits. */
  first_token_ms: number | null;
  total_ms: number;
  /** Probabilities for a call with an anchor; null if none were returned. */
  soft: SoftLabels | null;
  /** The model's name as reported by the engine; null if not reported or the call failed. */
  model: string | null;
  error: ItemErrorCode | null;
  /** Human-readable reason why the engine rejected the question, if the engine gave one. */
  reason?: string | null;
  /** Wait before a retry in ms, if the engine stated one. */
  retry_after_ms?: number;
  /** Whether the same question may succeed if asked again later. */
  retryable: boolean;
}

export interface EnginePool {
  /**
   * Runs one generation on the best replica. Never rejects. If the replica dies (connection, 5xx, a reply
   * that breaks off, even after the first token) or rejects for load, the call is retried, on another replica
   * if possible, within the retry budget: at most LIMITS.retries_max times, or until the signal aborts if the
   * call is `patient`. A question that fails LIMITS.question_failures_max times while others are answered is
   * taken for the cause and given up. Waits while all replicas are at their cap, so calling beyond `capacity`
   * is safe.
   */
  generate(call: EngineCall): Promise<EngineAnswer>;
  /**
   * Generations that may be in flight now, over all healthy replicas, or over all replicas if none is
   * healthy. At least 1.
   */
  readonly capacity: number;
  /** Calls not yet answered. */
  readonly in_flight: number;
  /** Registers a listener that is called when capacity rises or a slot becomes free. */
  onRoom(listener: () => void): void;
  /**
   * The function that escapes model text for these engines. Resolves once each engine has been asked for its
   * tokens, within readiness_timeout_ms. Never rejects.
   */
  escape(): Promise<Escape>;
  /**
   * Whether a healthy replica serves the model and every special token of its tokenizer is escaped. Never
   * rejects.
   */
  ready(): Promise<Readiness>;
  /** Names of the models that the replicas serve. Never rejects. */
  models(): Promise<string[]>;
  /** Metrics of the pool and its replicas in Prometheus text format. */
  metrics(): string;
  /** Stops polling and closes every connection. Calls in flight fail. */
  close(): Promise<void>;
}

export interface EnginePoolConfig {
  /** Base URLs of OpenAI-compatible engines, one per replica; see `apiRoot` for the accepted forms. */
  urls: readonly string[];
  /** The model's name at the engines, for calls that do not name a model. */
  model: string;
  apiKey: string | null;
  /** Maximum generations in flight per replica. Default: LIMITS.generations_in_flight_default. */
  maxInFlight?: number;
  /**
   * The kind of the engines; null: detected from their metrics pages. SGLang is notified of aborted
   * generations through `/abort_request`.
   */
  kind?: EngineKind | "other" | null;
  /**
   * Whether the engines are the simulator, which receives the deployment's stored template. Default: false.
   */
  simulated?: boolean;
  /** Special tokens of the served tokenizer, for engines that do not report them. */
  tokens?: readonly string[];
  /**
   * Receives log lines. If set, each engine that comes up is asked a simple test question, and a problem that
   * would spoil every verdict is logged.
   */
  report?: ((line: Record<string, unknown>) => void) | undefined;
  /** Default: the process's own. */
  timers?: Timers;
  /** Source of jitter. Default: Math.random. */
  random?: () => number;
}
