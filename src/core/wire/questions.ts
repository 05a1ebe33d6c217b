// The data exchanged between scoring and a verifier: jobs, generations, and the counters of sessions and
// backends. Must not depend on adapters or wire formats.

import type { JobQuestion, Question } from "../asking/questions.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import type { ShownImages } from "../judges/image-parts.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import type { BreakerState } from "../load/breaker.ts";

/**
 * Questions that use one preset, about the candidates for one prompt. Each candidate is stored once, and a
 * question refers to as many distinct candidates by index as the preset shows.
 */
export interface VerifierJob extends Pick<Question, "to" | "preset" | "slots" | "runs"> {
  question: string;
  language: string | null;
  candidates: readonly string[];
  questions: readonly JobQuestion[];
  /**
   * The images that the job's question and candidates name, keyed by digest; omitted if no images are shown.
   */
  images?: ShownImages;
}

/** The result of one sample of one question, before parsing. Every sample has exactly one. */
export interface Generation {
  /** Id of the question within its job. */
  question: number;
  /** Number of the sample, counted from the question's `first_sample`. */
  sample: number;
  /** The answer without reasoning fields; null if the generation failed. */
  answer: string | null;
  /**
   * Whether the reply had separate reasoning, and whether an answer began after it. With `unclosed`, the
   * answer is not a verdict.
   */
  thinking: "none" | "closed" | "unclosed";
  /** `stop`, `length`, or another finish reason of the engine; null if the generation failed. */
  finish_reason: string | null;
  /** Set if and only if `answer` is null and the sample was not saved. */
  error: ItemErrorCode | null;
  /**
   * Whether the sample was not run, or was cut short, because the question's majority was already decided. If
   * true, `answer` and `error` are null.
   */
  saved?: boolean;
  prompt_tokens: number;
  completion_tokens: number;
  /** Time from sending the request to receiving the last byte, in milliseconds. */
  latency_ms: number;
  /**
   * The model that answered, under the engine's name or else the configured name; null if the generation
   * failed.
   */
  model?: string | null;
  /** The backend's name in the configuration. */
  backend?: string | null;
  /** Human-readable reason why the backend rejected the question (see engine-reason.ts), if it gave one. */
  reason?: string | null;
  /**
   * How long the backend asked to wait before a retry, in milliseconds; omitted or null if it did not say.
   */
  retry_after_ms?: number | null;
  /** Label probabilities for a soft vote; null if none were found, omitted if they were not requested. */
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
   * Mean time from sending a request to receiving its headers, in milliseconds, over the requests that took
   * the last free header slot; omitted if there were none.
   */
  headers_ms?: number;
}

/** State of one backend in this isolate: its circuit breaker, and counts since the isolate started. */
export interface BackendStatus {
  name: string;
  breaker: BreakerState;
  requests: number;
  retries: number;
  /** Number of retries that had to wait for the retry budget, or were left to another available backend. */
  retries_denied: number;
  hedges: number;
  /** Number of hedges in which the second request answered first. */
  hedges_won: number;
}

/** Slots for requests that are waiting for response headers. */
export interface HeaderSlots {
  readonly waiting: number;
  readonly free: boolean;
  take(): void;
  /** Frees a slot and calls all `onFree` callbacks in the order in which they were registered. */
  giveBack(): void;
  onFree(wake: () => void): void;
}
