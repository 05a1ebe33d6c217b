// Owns the seam between the gateway's scheduling and the engines: what a generation is asked with, what it brings. Must not know HTTP.
import type { ItemErrorCode } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/limits.ts";
import { EngineAddress } from "./engine-address.ts";
import { Pool } from "./engine-pool.ts";
import type { EngineKind } from "./gauges.ts";
import { Replica } from "./replicas.ts";

export interface EngineCall {
  messages: readonly { role: "system" | "user"; content: string }[];
  /** null: the pool's model. */
  model: string | null;
  temperature: number;
  top_p: number;
  max_tokens: number;
  seed: number;
  /** Calls of one group carry the same key: they go to the same replica while that is no worse for load. */
  affinity: string;
  /** Option letters, A first, whose probability at the token after `\boxed{` is wanted; null: not asked. */
  soft_letters: readonly string[] | null;
  /** Aborted with the reason `deadline`, or any other for `cancelled`: the engine is told to stop at once. */
  signal: AbortSignal;
}

export interface EngineAnswer {
  /** The segment after the last `</think>`, at most ANSWER_SEGMENT_CHARS, its end kept; empty when it failed or is `unclosed`. */
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
  letters: Record<string, number> | null;
  /** The model's name as the engine gives it; null when it did not, or failed. */
  model: string | null;
  error: ItemErrorCode | null;
  /** Whether the same question, asked again later, may be answered. */
  retryable: boolean;
}

export interface EnginePool {
  /**
   * Never rejects. One generation on the best replica; when that one dies (connection, 5xx, a reply that breaks off), also after the
   * answer began, or refuses for load, it is asked again, on another where there is one, at most LIMITS.retries_max times. It waits
   * for room where a replica's cap is reached, so calling beyond `capacity` is safe.
   */
  generate(call: EngineCall): Promise<EngineAnswer>;
  /** Generations that may be in flight now over all healthy replicas; over all, when none is healthy. At least 1. */
  readonly capacity: number;
  /** Calls not yet answered. */
  readonly in_flight: number;
  /** Called when capacity rises or a place frees, so that a scheduler pumps. */
  onRoom(listener: () => void): void;
  /** Does a healthy replica serve the model? Never rejects; bounded by readiness_timeout_ms. */
  ready(): Promise<{ ok: boolean; detail: string; latency_ms: number }>;
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
  /** What the engines are; null: found out by their metrics pages. SGLang is told by `/abort_request` what is given up. */
  kind?: EngineKind | "other" | null;
  /** For tests: timers of the polls and waits, randomness of their jitter, the clock for durations (ms). */
  schedule?: Schedule;
  random?: () => number;
  now?: () => number;
}

/** Timers do not keep the process alive: what waits for them is an open request, which does. */
const setTimer: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Starts polling at once. @throws TypeError for no URL, or one that cannot be used */
export function createEnginePool(config: EnginePoolConfig): EnginePool {
  const { urls, apiKey, model, kind = null } = config;
  if (urls.length === 0) throw new TypeError("At least one engine URL is needed.");
  const max = Math.max(1, Math.floor(config.maxInFlight ?? LIMITS.generations_in_flight_default));
  const replicas = urls.map((url) => new Replica(new EngineAddress(url, apiKey), max, kind));
  const { schedule = setTimer, random = Math.random, now = () => performance.now() } = config;
  return new Pool(replicas, { model, schedule, random, now });
}
