// The port between scoring and the run log: writing entries and reading them back. Interfaces only.

import type { ExportTable, StoredText } from "../core/contract/export-tables.ts";
import type { Owner, RunKey } from "../core/contract/owner.ts";
import type { HealthRow } from "../core/health/health-row.ts";
import type { LoggedGroup } from "../core/reward/replay/logged-group.ts";
import type { LogEntry } from "./log-entry.ts";
import type {
  ExportRow,
  GroupRow,
  GroupVerdicts,
  Page,
  RequestRow,
  RunDetail,
  RunSummary,
  StepRow,
} from "./logged-rows.ts";
import type { Health } from "./ports.ts";
import type { RunChanges } from "./run-changes.ts";

/**
 * A range of steps: above `after`, at least `from`, at most `to`, and at most `limit` steps; null means
 * unbounded. Any of the first three excludes requests without a step.
 */
export interface StepRange {
  after: number | null;
  from: number | null;
  to: number | null;
  limit: number | null;
}

/** Steps from `from` to `to`, inclusive; null means unbounded. A bound excludes requests without a step. */
export type StepBounds = Pick<StepRange, "from" | "to">;

/** A spec that a run used, as logged. */
export interface SpecUse {
  spec_hash: string;
  spec: unknown;
  /** Whether any request with the spec has no step. */
  no_step: boolean;
}

/** Selects the groups to read, by the specs of their requests, and whether to include their verdicts. */
export interface LoggedWanted {
  spec_hashes: readonly string[];
  verdicts: boolean;
}

/** Selects a page of groups, of one step or of all steps (null). */
export interface GroupsWanted {
  step: number | null;
  cursor: string | null;
  limit: number;
}

/** The run log. Null as `owner` reads the rows of all owners; a run always belongs to one owner. */
export interface RunLog extends RunChanges {
  /**
   * Writes the entry atomically in one round trip. Idempotent: the same request_id adds no second row.
   * Rejects if the write fails.
   */
  append(entry: LogEntry): Promise<void>;
  runs(page: { owner: Owner | null; cursor: string | null; limit: number }): Promise<Page<RunSummary>>;
  /** Owners of a run with this id, at most `limit`, by name. */
  owners(runId: string, limit: number): Promise<Owner[]>;
  run(run: RunKey): Promise<RunDetail | null>;
  /**
   * One row per step, ascending, optionally with signals; requests without a step come first, with step null.
   */
  steps(run: RunKey, range: StepRange, signals?: boolean): Promise<StepRow[]>;
  /** One row for each of the last `steps` steps, ascending, for the alarms. */
  health(run: RunKey, steps: number): Promise<HealthRow[]>;
  groups(run: RunKey, page: GroupsWanted): Promise<Page<GroupRow>>;
  /** The request with this id; null if it was not logged. */
  request(requestId: string, owner: Owner | null): Promise<RequestRow | null>;
  /** A group's prompt and rollouts as far as they were logged; null if the group does not exist. */
  texts(groupId: string, owner: Owner | null): Promise<StoredText[] | null>;
  /** Null if the group does not exist. */
  verdicts(groupId: string, owner: Owner | null): Promise<GroupVerdicts | null>;
  /** All rows of a run, page by page, oldest first. */
  exportRows(run: RunKey, table: ExportTable): AsyncIterable<ExportRow>;
  /** Specs of a run's reward requests, by hash; at most rescore_specs_max + 1. */
  specsUsed(run: RunKey, steps: StepBounds): Promise<SpecUse[]>;
  /** Whether any rollout of these requests has no length in tokens. */
  lacksLengths(run: RunKey, steps: StepBounds): Promise<boolean>;
  /** A run's groups for rescoring, page by page, oldest first. */
  loggedGroups(run: RunKey, steps: StepBounds, wanted: LoggedWanted): AsyncIterable<LoggedGroup>;
  check(): Promise<Health>;
}

/** Queue for entries that are stored after the reply. */
export interface LogQueue {
  /**
   * Resolves when the queue has accepted the whole entry. Rejects if the queue refuses, does not answer in
   * time, or a row exceeds its limits.
   */
  send(entry: LogEntry): Promise<void>;
}
