// The state that one request carries through scoring: its id, its timings, and its key's name.
import type { Clock } from "../ports/ports.ts";

/** The counts in the log line of a scored request. */
export interface ScoredCounts {
  /** Omitted for a sample that was judged within another request's group. */
  groups?: number;
  rollouts: number;
  /** Number of rollouts with a reward, and their mean reward; null if there are none. */
  rewards: number;
  reward_mean: number | null;
  /** Number of requests sent to verifiers. */
  verifier_calls?: number;
  /** US dollars by PRICES, and tokens of models without a price; omitted without PRICES. */
  usd?: number;
  unpriced_tokens?: number;
  /** Number of null rewards by code. */
  nulls?: Record<string, number>;
  /** Number of generations without an answer, by code. */
  failed?: Record<string, number>;
  /** Why verifiers refused questions, in the verifiers' words. */
  reasons?: readonly string[];
}

/** Durations are ms; `started_ms` is on the injected clock. */
export interface RequestScope {
  /**
   * The request's id. A sample judged with others takes the id of their judgement, so that the reply's id
   * finds the sample in the run log.
   */
  id: string;
  readonly started_ms: number;
  key_name: string | null;
  /** The run id, if the request names one. */
  run_id?: string | null;
  verifier_ms: number;
  store_ms: number;
  scored?: ScoredCounts;
  /** Warnings for the log entry in addition to those of scoring. */
  readonly warnings?: readonly string[];
  /** Lower values go first at verifiers that support priorities; omitted: 0. */
  priority?: number;
  /** See VerifierCall. */
  work?: string;
  /** See ScoringBatch. */
  has_facts?: true;
  /**
   * Releases the request's Idempotency-Key, if it has one, and with it an id taken over from a request that
   * crashed. Called before logging an outcome that will not be kept: another outcome may be logged under that
   * id, and the log keeps the first.
   */
  give_up_key?: () => Promise<void>;
  /** Reserves memory in addition to the body, bytes; throws ApiError `busy` if it does not fit. */
  reserveBytes?: (bytes: number) => void;
  /** Keeps work running after the reply; omitted if the runtime does not end work with a reply. */
  keep_alive?: (work: Promise<unknown>) => void;
}

/** Runs `work` and adds its duration to `store_ms`. */
export async function timedStore<T>(clock: Clock, scope: RequestScope, work: () => Promise<T>): Promise<T> {
  const started = clock.now();
  try {
    return await work();
  } finally {
    scope.store_ms += clock.now() - started;
  }
}
