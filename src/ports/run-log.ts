// The seam between scoring and the run log: what is logged, and how it is read back. Interfaces only.

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
 * Which steps of a run: those above `after`, from `from` and up to `to`, at most `limit`; null does
 * not bound. Any of the first three leaves out what has no step.
 */
export interface StepRange {
  after: number | null;
  from: number | null;
  to: number | null;
  limit: number | null;
}

/**
 * Steps from `from` and up to `to`; null does not bound, and a bound leaves out what has no step.
 */
export type StepBounds = Pick<StepRange, "from" | "to">;

/** A spec that a run used, as it was logged. */
export interface SpecUse {
  spec_hash: string;
  spec: unknown;
  /** Some request has no step. */
  no_step: boolean;
}

/** Which groups to read: of requests of these specs, with their verdicts or without. */
export interface LoggedWanted {
  spec_hashes: readonly string[];
  verdicts: boolean;
}

/** Which page of groups: of all, or of one step. */
export interface GroupsWanted {
  step: number | null;
  cursor: string | null;
  limit: number;
}

/** Where an owner is asked for, null reads everybody's rows; a run is always one owner's. */
export interface RunLog extends RunChanges {
  /**
   * Writes the whole entry or nothing, in one round trip; safe to repeat (same request_id: no
   * second row). Rejects when it could not.
   */
  append(entry: LogEntry): Promise<void>;
  runs(page: { owner: Owner | null; cursor: string | null; limit: number }): Promise<Page<RunSummary>>;
  /** Who has a run of this id, at most `limit`, by name. */
  owners(runId: string, limit: number): Promise<Owner[]>;
  run(run: RunKey): Promise<RunDetail | null>;
  /** One row a step, ascending, with its signals or without; requests without a step first, under null. */
  steps(run: RunKey, range: StepRange, signals?: boolean): Promise<StepRow[]>;
  /** One row for each of the last `steps` steps, ascending, for the alarms. */
  health(run: RunKey, steps: number): Promise<HealthRow[]>;
  groups(run: RunKey, page: GroupsWanted): Promise<Page<GroupRow>>;
  /** The request with a reply's request_id; null when it was not logged. */
  request(requestId: string, owner: Owner | null): Promise<RequestRow | null>;
  /** A group's prompt and rollouts as far as they were logged; null when the group does not exist. */
  texts(groupId: string, owner: Owner | null): Promise<StoredText[] | null>;
  /** null when the group does not exist. */
  verdicts(groupId: string, owner: Owner | null): Promise<GroupVerdicts | null>;
  /** Rows of a whole run, page by page, oldest first. */
  exportRows(run: RunKey, table: ExportTable): AsyncIterable<ExportRow>;
  /** Specs of a run's requests for rewards, by hash; one more than rescore_specs_max at most. */
  specsUsed(run: RunKey, steps: StepBounds): Promise<SpecUse[]>;
  /** Whether some rollout of such a request has no length in tokens. */
  lacksLengths(run: RunKey, steps: StepBounds): Promise<boolean>;
  /** A run's groups as they can be scored again, page by page, oldest first. */
  loggedGroups(run: RunKey, steps: StepBounds, wanted: LoggedWanted): AsyncIterable<LoggedGroup>;
  check(): Promise<Health>;
}

/** Where entries go that are stored after the reply. */
export interface LogQueue {
  /**
   * Resolves when the queue has taken the whole entry. Rejects when it refuses, does not answer in
   * time, or a row is over its limits.
   */
  send(entry: LogEntry): Promise<void>;
}
