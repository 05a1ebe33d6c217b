// The port to the counters that track the usage of each key.

/** One key's limits; null means unlimited. */
export interface KeyLimit {
  /** Requests per minute. */
  rpm: number | null;
  /** Verifier tokens, prompt and completion, per UTC day. */
  tokens_per_day: number | null;
  /** US dollars per UTC day for the verifier's tokens, priced by PRICES. */
  usd_per_day: number | null;
  /** Run-log rows per UTC day. */
  log_rows_per_day: number | null;
  /** Concurrent batches and requests that may judge. */
  concurrency: number | null;
  /** Bytes stored at one time for open groups, stored replies and batches. */
  stored_bytes: number | null;
}

/** A request's usage, known only after scoring. */
export interface KeyUse {
  /** Verifier tokens, prompt and completion. */
  tokens: number;
  /** Cost in US dollars. Tokens of models without a price in PRICES are not included. */
  usd: number;
  log_rows: number;
}

export type KeyLimitName = keyof KeyLimit;

/** The state of one limit: the remaining quota, and the seconds until it is restored. */
export interface LimitState {
  limit: KeyLimitName;
  quota: number;
  remaining: number;
  reset_s: number | null;
}

export interface Grant {
  /** The limit that refused the request; null if granted. */
  refused_by: KeyLimitName | null;
  retry_after_s: number;
  limits: readonly LimitState[];
}

/**
 * Port to the key limits. Keys are passed by their configured names; null is a caller of an open deployment.
 * No method rejects.
 */
export interface KeyLimits {
  /**
   * Counts one request under its lease id; a request that may judge also takes a concurrency slot. Returns
   * null if the key has no limits, or if its counters did not answer in time (they may still have counted the
   * request).
   */
  admit(key: string | null, lease: string, judges: boolean): Promise<Grant | null>;
  /**
   * Keeps the concurrency slot for work that continues after the reply, at the latest until `until` (ms since
   * the epoch).
   */
  reserve(key: string | null, lease: string, until: number): Promise<void>;
  /** Releases the concurrency slot. */
  release(key: string | null, lease: string): Promise<void>;
  /** Records the usage of a request. */
  spend(key: string | null, use: KeyUse): Promise<void>;
  /**
   * The refusal of a request that would store data; null if the key is below its limit as far as this isolate
   * knows. Makes no call.
   */
  refusalToStore(key: string | null): Grant | null;
  /**
   * Records bytes that stay stored until `until` (ms since the epoch), or releases bytes if the number is
   * negative. Not every call updates the counters, except for a key at its limit; a call that does resolves
   * after the update.
   */
  store(key: string | null, bytes: number, until: number): Promise<void>;
}
