// State of one request while it is scored: its id, its timings, and the name of its API key.
import type { Clock } from "../ports/ports.ts";

/** Counts for the log line of a scored request. */
export interface ScoredCounts {
  /** Omitted for a sample that was judged within another request's group. */
  groups?: number;
  rollouts: number;
  /** Number of rollouts with a reward, and their mean reward; null if there are none. */
  rewards: number;
  reward_mean: number | null;
  /** Number of requests sent to verifiers. */
  verifier_calls?: number;
  /** Number of input tokens of verifiers, including the audit's. */
  verifier_prompt_tokens?: number;
  /** Cost in US dollars according to PRICES, and tokens of models without a price; omitted without PRICES. */
  usd?: number;
  unpriced_tokens?: number;
  /** Number of null rewards by code. */
  nulls?: Record<string, number>;
  /** Number of generations without an answer, by code. */
  failed?: Record<string, number>;
  /** The verifiers' own reasons for refusing questions. */
  reasons?: readonly string[];
}

/** State of one request. Durations are in ms; `started_ms` is a time of the injected clock. */
export interface RequestScope {
  /**
   * The request's id. If a sample is judged together with samples of other requests, this becomes the id
   * under which the group is logged, so that the client can find the sample in the run log.
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
  /** Name of the work that the questions belong to, as in `VerifierCall`. */
  work?: string;
  /** Set if missing facts have already been checked, as in `ScoringBatch`. */
  has_facts?: true;
  /**
   * Releases the request's Idempotency-Key, if it has one, and an id taken over from a request that crashed.
   * Called before logging an outcome that is not stored under the key: the log keeps the first entry of an
   * id, and the id belongs to the outcome of the retry.
   */
  give_up_key?: () => Promise<void>;
  /** Reserves bytes in addition to the request body; throws ApiError `busy` if they do not fit. */
  reserveBytes?: (bytes: number) => void;
  /** Keeps work running after the reply; omitted if the runtime does not stop work when it has replied. */
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
