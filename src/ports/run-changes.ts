// The seam to what changes or deletes a run's rows. Interfaces only.
import type { RunKey, Whose } from "../core/contract/owner.ts";
import type { RunMetadata } from "../core/contract/run-metadata.ts";

/** Rows that were deleted, by table. */
export type DeletedRows = Record<
  "requests" | "groups" | "rollouts" | "verdicts" | "signals" | "turns" | "texts" | "verdict_texts" | "audit_verdicts",
  number
>;

export interface RunChanges {
  /** Takes the place of what was said of the run before; makes a run of which nothing was logged yet. */
  describe(run: RunKey, metadata: RunMetadata): Promise<void>;
  /**
   * From here on rows of requests that came before the instant are not stored, and the run is not found; its
   * rows are there until deleteRows has ended. Returns how many alarms went with it.
   */
  markDeleted(run: RunKey, before: Date): Promise<number>;
  /** Deletes some rows of a run that is marked; null when none is left. */
  deleteRows(run: RunKey): Promise<DeletedRows | null>;
}

/** Deletes rows without being asked for a run. Each call deletes some; null when none is left. */
export interface LogExpiry {
  /** Deletes what was left of deleted runs. */
  deleteMarked(): Promise<DeletedRows | null>;
  /** Deletes requests that came before the instant; then runs that had none since. */
  deleteOlder(ownerFilter: Whose, before: Date): Promise<DeletedRows | null>;
}
