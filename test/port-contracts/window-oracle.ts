// Owns the plain computation of a run's windows from its entries, against which the database's SQL
// is tested.
import { BY_STEP, type RunAxis } from "../../src/ports/run-axis.ts";
import type { LogEntry } from "../../src/ports/run-log.ts";

/**
 * Entries as they stand over an axis: by window those without a step alone, or all, the window as
 * their step.
 */
export function laidOut(entries: readonly LogEntry[], axis: RunAxis = BY_STEP, all = false): LogEntry[] {
  if (axis.by === "step") return [...entries];
  const stepless = entries
    .filter(({ step }) => all || step === null)
    .sort((a, b) => (a.request_id < b.request_id ? -1 : 1));
  let before = 0;
  return stepless.map((entry) => {
    const step = Math.floor(before / axis.window_groups);
    before += Math.max(1, entry.groups.length);
    return { ...entry, step };
  });
}
