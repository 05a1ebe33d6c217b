// Interfaces of the dead-letter store: dead letters, a summary of them, and the results of replay and expiry.
import type { Owner, Whose } from "./owner.ts";

/** The part of the Durable Object namespace for dead letters that this service uses. */
export interface LettersNamespace {
  getByName(name: string): DeadLetterStore;
}

/** A queue message that could not be written to the database. */
export interface DeadLetter {
  /** Id of the queue message. The same message may be delivered more than once. */
  id: string;
  /** Owner of the rows in the message; empty if the owner cannot be read. */
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
  /** Number of letters from before `before` that still have to be replayed. */
  remaining: number;
  before: string;
}

export interface ExpiryOutcome {
  deleted: number;
  remaining: number;
}

/**
 * Stores dead letters outside the database and can put them back on the queue. An `owner` argument selects
 * the letters of that owner; null selects all letters.
 */
export interface DeadLetterStore {
  store(letters: readonly DeadLetter[]): Promise<void>;
  summary(owner: Owner | null): Promise<DeadLetterSummary>;
  /**
   * Puts at most `limit` letters back on the queue, oldest first. Only letters whose last delivery was before
   * `before` (an ISO timestamp; null means now) are replayed.
   */
  replay(limit: number, before: string | null, owner: Owner | null): Promise<ReplayOutcome>;
  /** Permanently deletes letters whose first delivery was before `before` (an ISO timestamp). */
  expire(before: string, ownerFilter: Whose | null): Promise<ExpiryOutcome>;
  /**
   * Deletes a run's letters and rejects letters that arrive later for requests whose ids are below `before`.
   * Returns the number of deleted letters.
   */
  forget(run: { run_id: string; owner: Owner }, before: string): Promise<number>;
}
