// Defines what one request carries through scoring: its id, its times, its key's name.
import type { Clock } from "../ports/ports.ts";

/** The counts in the log line of a scored request. */
export interface ScoredCounts {
  /** Absent of samples that others were judged with. */
  groups?: number;
  rollouts: number;
  /** Rollouts that have a reward, and their mean; null where none has. */
  rewards: number;
  reward_mean: number | null;
  /** How often verifiers were asked by it. */
  verifier_calls?: number;
  /** US dollars by PRICES, and tokens of models without one; absent where PRICES is. */
  usd?: number;
  unpriced_tokens?: number;
  /** Rewards that are null, by code. */
  nulls?: Record<string, number>;
  /** Generations that brought no answer, by code. */
  failed?: Record<string, number>;
  /** Why verifiers refused questions, in their own words for people. */
  reasons?: readonly string[];
}

/** Durations are ms; `started_ms` is on the injected clock. */
export interface RequestScope {
  /**
   * A sample judged with others takes the id of their judgement, so that the reply's id finds it in
   * the run log.
   */
  id: string;
  readonly started_ms: number;
  key_name: string | null;
  /** From a request that names its run. */
  run_id?: string | null;
  verifier_ms: number;
  store_ms: number;
  scored?: ScoredCounts;
  /** Warnings of its log entry beside those of scoring. */
  readonly warnings?: readonly string[];
  /** Lower goes first at verifiers that know priorities; absent: 0. */
  priority?: number;
  /** See VerifierCall. */
  work?: string;
  /** See ScoringBatch. */
  has_facts?: true;
  /**
   * Gives the request's Idempotency-Key up, where it has one, and with it an id taken over from a
   * request that crashed. Called before an outcome that will not be kept is logged: another outcome
   * may stand, or come to stand, under that id, and the log keeps the first.
   */
  give_up_key?: () => Promise<void>;
  /** Counts bytes that are held for it beside its body; throws ApiError `busy` where they do not fit. */
  reserveBytes?: (bytes: number) => void;
  /** Lets work go on behind the reply; absent where nothing ends with one. */
  keep_alive?: (work: Promise<unknown>) => void;
}

/** Runs `work` and books its time as the store's. */
export async function timedStore<T>(clock: Clock, scope: RequestScope, work: () => Promise<T>): Promise<T> {
  const started = clock.now();
  try {
    return await work();
  } finally {
    scope.store_ms += clock.now() - started;
  }
}
