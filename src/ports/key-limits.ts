// The port to what counts the use of each key.

/** One key's limits; null: unbounded. */
export interface KeyLimit {
  /** Requests in a minute. */
  rpm: number | null;
  /** The verifier's tokens, prompt and completion, in a day of UTC. */
  tokens_per_day: number | null;
  /** US dollars that the verifier's tokens cost in a day of UTC, by PRICES. */
  usd_per_day: number | null;
  /** Rows of the run log in a day of UTC. */
  log_rows_per_day: number | null;
  /** Requests that may judge, and batches, at one time. */
  concurrency: number | null;
  /** Bytes of open groups, kept replies and batches at one time. */
  stored_bytes: number | null;
}

/** A request's usage that is known only once it has been scored. */
export interface KeyUse {
  /** The verifier's, prompt and completion. */
  tokens: number;
  /** US dollars; never less than what tokens of models with a price cost. */
  usd: number;
  log_rows: number;
}

export type KeyLimitName = keyof KeyLimit;

/** One limit as it stands: what is left of it, and the seconds until it is whole again. */
export interface LimitState {
  limit: KeyLimitName;
  quota: number;
  remaining: number;
  reset_s: number | null;
}

export interface Grant {
  /** The limit that refuses; null when the request may go. */
  refused_by: KeyLimitName | null;
  retry_after_s: number;
  limits: readonly LimitState[];
}

/**
 * Each key's limits. Keys are named as in the configuration; null is a caller of an open deployment. Nothing
 * here rejects.
 */
export interface KeyLimits {
  /**
   * Counts one request under its lease id, which takes one of the places for simultaneous requests if it may
   * judge. null: the key has no limits, or its counters did not answer in time, and may yet have counted the
   * request.
   */
  admit(key: string | null, lease: string, judges: boolean): Promise<Grant | null>;
  /**
   * Keeps the place of what goes on behind a reply, until then (ms since the epoch) at the latest.
   */
  reserve(key: string | null, lease: string, until: number): Promise<void>;
  /** Gives the place back. */
  release(key: string | null, lease: string): Promise<void>;
  /** Books what a request used. */
  spend(key: string | null, use: KeyUse): Promise<void>;
  /**
   * The refusal of a request that would store something; null where the key is below its limit as
   * far as this isolate knows. Makes no call.
   */
  refusalToStore(key: string | null): Grant | null;
  /**
   * Books bytes that are stored until then (ms since the epoch), or are let go where negative. Resolves
   * when the counters were called, where that is due: each time for a key at its limit.
   */
  store(key: string | null, bytes: number, until: number): Promise<void>;
}
