// Passes a log entry to the run log within a time limit. Guarantees that a reward waits for the store only up
// to that limit and never fails because of the store.

import { ownerOf } from "../core/contract/owner.ts";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { fail, within } from "../platform/waiting.ts";
import type { LogEntry } from "../ports/log-entry.ts";
import type { JudgingDeps } from "./deps.ts";
import { type RequestScope, timedStore } from "./request-scope.ts";

export interface LogOutcome {
  /** `queued`: a durable queue holds the entry and stores it later. */
  logged: boolean | "queued";
  /**
   * `log_failed`, `log_not_configured` or `log_unstorable` if the entry was neither stored nor queued;
   * `step_went_back` if its step is below the run's earlier steps.
   */
  warnings: string[];
}

/** Queues the entry if there is a queue, otherwise stores it. Does not throw: failures become warnings. */
export async function appendEntry(deps: JudgingDeps, scope: RequestScope, given: LogEntry): Promise<LogOutcome> {
  scope.run_id = given.run_id;
  const wentBack = stepWarnings(deps, given);
  const entry = { ...given, warnings: [...given.warnings, ...wentBack] };
  const { logged, warnings } = await stored(deps, scope, entry);
  return { logged, warnings: [...wentBack, ...warnings] };
}

function stepWarnings({ steps }: JudgingDeps, { kind, run_id, step, key_name }: LogEntry): string[] {
  if (kind === "attempt" || run_id === null || step === null) return [];
  return steps.note({ owner: ownerOf(key_name), run_id }, step);
}

async function stored(deps: JudgingDeps, scope: RequestScope, entry: LogEntry): Promise<LogOutcome> {
  if (!isStorable(entry)) {
    // A queue would accept the entry, but it could never be stored.
    deps.metrics.add("kritai_log_failures_total", 1);
    deps.report({ level: "error", event: "log_unstorable", request_id: scope.id });
    return { logged: false, warnings: ["log_unstorable"] };
  }
  try {
    const logged = await timedStore(deps.clock, scope, () =>
      within(deps.clock, LIMITS.store_timeout_ms, queueOrStore(deps, scope, entry), fail("store_timeout")),
    );
    return { logged, warnings: [] };
  } catch (error) {
    deps.metrics.add("kritai_log_failures_total", 1);
    if (error instanceof ApiError && error.code === "not_configured") {
      return { logged: false, warnings: ["log_not_configured"] };
    }
    reportFault(deps, scope, "log_failed", error);
    return { logged: false, warnings: ["log_failed"] };
  }
}

/** Whether all numbers are finite. JSON encodes others as null, which the database columns reject. */
function isStorable({ metrics, groups }: LogEntry): boolean {
  const isNumber = (value: unknown) => typeof value !== "number" || Number.isFinite(value);
  const holds = (row: object) => Object.values(row).every(isNumber);
  return (
    holds(metrics) &&
    groups.every(
      ({ result, signals = [] }) =>
        holds(result.metrics) &&
        result.rollouts.every(({ reward, components }) => holds({ reward }) && holds(components)) &&
        signals.every(({ value }) => holds({ value })),
    )
  );
}

async function queueOrStore(deps: JudgingDeps, scope: RequestScope, entry: LogEntry): Promise<true | "queued"> {
  if (deps.logQueue !== null) {
    try {
      await deps.logQueue.send(entry);
      deps.metrics.add("kritai_log_queued_total", 1);
      return "queued";
    } catch (error) {
      // Storing is idempotent, so the entry can be stored here even if the queue has accepted a part of it.
      deps.metrics.add("kritai_log_queue_refusals_total", 1);
      reportFault(deps, scope, "log_queue_refused", error);
    }
  }
  await deps.runLog.append(entry);
  lookFor(deps, scope, entry);
  return true;
}

/** Evaluates the run's alarms without delaying the reply. */
function lookFor(deps: JudgingDeps, scope: RequestScope, { kind, run_id, step, key_name }: LogEntry): void {
  if (deps.alarms === null || kind !== "rewards" || run_id === null || step === null) return;
  const looked = deps.alarms.look([{ owner: ownerOf(key_name), run_id }]);
  scope.keep_alive?.(looked);
}

function reportFault(deps: JudgingDeps, scope: RequestScope, event: string, error: unknown): void {
  const name = error instanceof Error ? error.name : typeof error;
  deps.report({ level: "error", event, request_id: scope.id, name });
}
