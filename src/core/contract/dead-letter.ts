// The words of dead letters: what one is, how they are counted, who keeps them. Interfaces only.
import type { Owner, Whose } from "./owner.ts";

/** The part that is used of the namespace of the Durable Objects that keep dead letters. */
export interface LettersNamespace {
  getByName(name: string): DeadLetterStore;
}

/** A message that cannot be stored as it is. */
export interface DeadLetter {
  /** The message's id; the same letter may come again. */
  id: string;
  /** The owner of the rows that it carries; empty also where it cannot be read. */
  owner: Owner;
  /**
   * A word: `bad_envelope`, `unknown_column`, `unstorable`, `sql_<SQLSTATE>`, or
   * `retries_exhausted`.
   */
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
  /** Letters of before `before` that are left. */
  remaining: number;
  before: string;
}

export interface ExpiryOutcome {
  deleted: number;
  remaining: number;
}

/**
 * Keeps letters without the database, and puts them back on the queue. `owner`: whose letters; null
 * is everybody's.
 */
export interface DeadLetterStore {
  store(letters: readonly DeadLetter[]): Promise<void>;
  summary(owner: Owner | null): Promise<DeadLetterSummary>;
  /**
   * Puts back at most `limit` letters that last came before `before` (an ISO instant; null = now),
   * oldest first.
   */
  replay(limit: number, before: string | null, owner: Owner | null): Promise<ReplayOutcome>;
  /** Deletes letters that first came before `before` (an ISO instant), for good. */
  expire(before: string, ownerFilter: Whose | null): Promise<ExpiryOutcome>;
  /**
   * Deletes the letters of a run, and keeps none of it that comes later, of requests whose ids are
   * below `before`. Returns how many there were.
   */
  forget(run: { run_id: string; owner: Owner }, before: string): Promise<number>;
}
