// The data between scoring and a verifier: jobs, generations, and the counters of sessions and backends. Must
// not know adapters or wire shapes.

import type { JobQuestion, Question } from "../asking/questions.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import type { ShownImages } from "../judges/image-parts.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import type { BreakerState } from "../load/breaker.ts";

/**
 * Questions of one preset over one prompt's candidates. Each candidate's text is stored once; a question
 * refers to 1..5 distinct candidates by index.
 */
export interface VerifierJob extends Pick<Question, "to" | "preset" | "slots" | "runs"> {
  question: string;
  language: string | null;
  candidates: readonly string[];
  questions: readonly JobQuestion[];
  /** Images by digest that the job's texts name; omitted if no images are shown. */
  images?: ShownImages;
}

/** The only result of one sample of one question, before parsing. */
export interface Generation {
  /** The question's id in its job. */
  question: number;
  /** Number of the sample, from the question's `first_sample` up. */
  sample: number;
  /** The answer text without reasoning fields; null if the generation failed. */
  answer: string | null;
  /**
   * Whether the reply had separate reasoning, and whether the answer began after it; an answer with
   * `unclosed` is not a verdict.
   */
  thinking: "none" | "closed" | "unclosed";
  /** `stop`, `length`, or another reason of the engine; null if the generation failed. */
  finish_reason: string | null;
  /** Set if and only if `answer` is null and the sample was not saved. */
  error: ItemErrorCode | null;
  /**
   * True if the sample was not run, or was cut short, because the question's majority was decided; then
   * `answer` and `error` are null.
   */
  saved?: boolean;
  prompt_tokens: number;
  completion_tokens: number;
  /** Time from sending the request to the last byte, ms. */
  latency_ms: number;
  /**
   * The model that answered, by the engine's name for it or else the configured name; null if the generation
   * failed.
   */
  model?: string | null;
  /** The backend's name in the configuration. */
  backend?: string | null;
  /** Human-readable reason why the backend refused the question (engine-reason.ts), if it gave one. */
  reason?: string | null;
  /** Wait that a refusing backend asked for, ms; omitted or null if it named none. */
  retry_after_ms?: number | null;
  /** Label probabilities for a soft vote; null if none were found, omitted if not requested. */
  soft?: SoftLabels | null | undefined;
}

/** Counters of one session, for Server-Timing, metrics and tests. */
export interface SessionStats {
  /** Maximum number of requests that waited for response headers at the same time; never above 6. */
  headers_waiting_max: number;
  in_flight_max: number;
  requests: number;
  retries: number;
  /**
   * Mean time from sending a request to its headers, ms, over the requests that took the last header slot;
   * omitted if there were none.
   */
  headers_ms?: number;
}

/** State of one backend in this isolate: its breaker, and counts since the isolate started. */
export interface BackendStatus {
  name: string;
  breaker: BreakerState;
  requests: number;
  retries: number;
  /** Number of retries that had to wait for the retry budget, or were left to another available backend. */
  retries_denied: number;
  hedges: number;
  /** Hedges whose copy answered first. */
  hedges_won: number;
}

/** Slots for requests that wait for response headers. */
export interface HeaderSlots {
  readonly waiting: number;
  readonly free: boolean;
  take(): void;
  /** Frees a slot and calls all `onFree` callbacks in the order of registration. */
  giveBack(): void;
  onFree(wake: () => void): void;
}
