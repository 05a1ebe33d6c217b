// Interfaces of the dead-letter store: letters, their summary, and the results of replay and expiry.
import type { Owner, Whose } from "./owner.ts";

/** The methods used of the Durable Object namespace that stores dead letters. */
export interface LettersNamespace {
  getByName(name: string): DeadLetterStore;
}

/** A queue message that cannot be stored in the database as it is. */
export interface DeadLetter {
  /** The message's id. The same letter may be delivered more than once. */
  id: string;
  /** The owner of the message's rows; empty if the owner cannot be read. */
  owner: Owner;
  /** `bad_envelope`, `unknown_column`, `unstorable`, `sql_<SQLSTATE>` or `retries_exhausted`. */
  reason: string;
  attempts: number;
  body: string;
}

export interface DeadLetterSummary {
  letters: number;
  bytes: number;
  first_at: string | null;
  last_at: string | null;
  reasons: { reason: string; letters: number }[];
}

export interface ReplayOutcome {
  replayed: number;
  /** Letters from before the instant `before` that still have to be replayed. */
  remaining: number;
  before: string;
}

export interface ExpiryOutcome {
  deleted: number;
  remaining: number;
}

/**
 * Stores dead letters outside the database and puts them back on the queue. `owner` selects the letters of
 * one owner; null selects all.
 */
export interface DeadLetterStore {
  store(letters: readonly DeadLetter[]): Promise<void>;
  summary(owner: Owner | null): Promise<DeadLetterSummary>;
  /**
   * Puts at most `limit` letters back on the queue, oldest first. Selects letters whose last delivery was
   * before `before` (an ISO instant; null = now).
   */
  replay(limit: number, before: string | null, owner: Owner | null): Promise<ReplayOutcome>;
  /** Permanently deletes letters whose first delivery was before `before` (an ISO instant). */
  expire(before: string, ownerFilter: Whose | null): Promise<ExpiryOutcome>;
  /**
   * Deletes a run's letters, and drops later ones from requests whose ids are below `before`. Returns the
   * number deleted.
   */
  forget(run: { run_id: string; owner: Owner }, before: string): Promise<number>;
}
