// The port for changing and deleting a run. Interfaces only.
import type { RunKey, Whose } from "../core/contract/owner.ts";
import type { RunMetadata } from "../core/contract/run-metadata.ts";

/** Number of deleted rows by table. */
export type DeletedRows = Record<
  "requests" | "groups" | "rollouts" | "verdicts" | "signals" | "turns" | "texts" | "verdict_texts" | "audit_verdicts",
  number
>;

export interface RunChanges {
  /** Replaces the run's metadata; creates the run if nothing has been logged for it. */
  describe(run: RunKey, metadata: RunMetadata): Promise<void>;
  /**
   * Marks the run as deleted: rows of requests older than `before` are no longer stored, and the run is no
   * longer found. Its rows remain until deleteRows has finished. Returns the number of alarms deleted.
   */
  markDeleted(run: RunKey, before: Date): Promise<number>;
  /** Deletes some rows of a run that is marked as deleted; null if none were left. */
  deleteRows(run: RunKey): Promise<DeletedRows | null>;
}

/** Deletes expired rows across runs. Each call deletes some rows, or returns null if none were left. */
export interface LogExpiry {
  /** Deletes remaining rows of deleted runs. */
  deleteMarked(): Promise<DeletedRows | null>;
  /** Deletes requests older than `before`, then runs without newer requests. */
  deleteOlder(ownerFilter: Whose, before: Date): Promise<DeletedRows | null>;
}
