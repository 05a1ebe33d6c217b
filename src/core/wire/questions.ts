// The data between scoring and a verifier: jobs, generations, and the counts of a session and a backend. Must
// not know adapters or wire shapes.

import type { JobQuestion, Question } from "../asking/questions.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import type { ShownImages } from "../judges/image-parts.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import type { BreakerState } from "../load/breaker.ts";

/**
 * Questions of one preset over one prompt's candidates. Each candidate's text is held once;
 * questions refer to it by index: 1..5 distinct ones each.
 */
export interface VerifierJob extends Pick<Question, "to" | "preset" | "slots" | "runs"> {
  question: string;
  language: string | null;
  candidates: readonly string[];
  questions: readonly JobQuestion[];
  /** By digest, the images that its texts name; absent: none are shown. */
  images?: ShownImages;
}

/** The one report on one sample of one question, not read yet. */
export interface Generation {
  /** The question's id in its job. */
  question: number;
  /** The question's `first_sample` and up. */
  sample: number;
  /** The answer text (reasoning fields apart), or null when the generation failed. */
  answer: string | null;
  /**
   * Whether separate reasoning was given, and whether the answer began after it: an answer with `unclosed` is
   * not a verdict.
   */
  thinking: "none" | "closed" | "unclosed";
  /** `stop`, `length`, or what else the engine said; null when it failed. */
  finish_reason: string | null;
  /** Set exactly when `answer` is null and the sample was not saved. */
  error: ItemErrorCode | null;
  /**
   * Not run, or cut short, because the question's majority was decided; then `answer` and `error`
   * are null.
   */
  saved?: boolean;
  prompt_tokens: number;
  completion_tokens: number;
  /** From the moment the request was sent to the last byte, ms. */
  latency_ms: number;
  /**
   * The model that answered: what the engine says it is, else the configured name; null when it
   * failed.
   */
  model?: string | null;
  /** The backend's name in the configuration. */
  backend?: string | null;
  /** Why the backend refused the question, fit for people (engine-reason.ts); where it said so. */
  reason?: string | null;
  /** Wait that a refusing backend asked for, ms; absent where it named none. */
  retry_after_ms?: number | null;
  /** Where a soft vote asked for it: the labels' probabilities, null where none were found. */
  soft?: SoftLabels | null | undefined;
}

/** Counters of one session, for Server-Timing, metrics and tests. */
export interface SessionStats {
  /** Most requests that were waiting for response headers at one time; never above 6. */
  headers_waiting_max: number;
  in_flight_max: number;
  requests: number;
  retries: number;
  /**
   * From sending a request to its headers, ms, the mean of those that took the last place for such
   * requests; absent: none did.
   */
  headers_ms?: number;
}

/** One backend as this isolate knows it: its breaker, and counts since the isolate started. */
export interface BackendStatus {
  name: string;
  breaker: BreakerState;
  requests: number;
  retries: number;
  /**
   * How often a retry had to wait for the budget, or, where another backend stands by, was left to
   * that.
   */
  retries_denied: number;
  hedges: number;
  /** Hedges whose copy answered first. */
  hedges_won: number;
}

/** The places for requests that wait for response headers. */
export interface HeaderSlots {
  readonly waiting: number;
  readonly free: boolean;
  take(): void;
  /** Wakes all who asked to be notified, in the order in which they asked. */
  giveBack(): void;
  onFree(wake: () => void): void;
}
