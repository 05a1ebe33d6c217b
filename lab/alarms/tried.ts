// Tries every alarm on made runs of one size: on healthy ones, and on those with its fault.
import { spansOf } from "../../src/core/health/alarm.ts";
import { ALARMS } from "../../src/core/health/alarms/table.ts";
import { FAULT_STEP, FAULTS, HEALTHY_KINDS } from "./faults.ts";
import { type Size, simulatedRun } from "./simulated-run.ts";

export interface Counts {
  healthy: number;
  faulty: number;
  steps: number;
}

/** The figures of one alarm. */
export interface Tried {
  alarm: string;
  fault: string;
  /** Healthy runs of each kind in which it was on at any step. */
  on: readonly number[];
  /** Runs with its fault in which it came on after the fault began. */
  found: number;
  /** Steps from the fault's first to the alarm's, where it was found; ascending. */
  delays: readonly number[];
}

export function tried(size: Size, { healthy, faulty, steps }: Counts): Tried[] {
  const kinds = HEALTHY_KINDS.map(({ name, conditionAt }) =>
    Array.from({ length: healthy }, (_, r) =>
      simulatedRun(`${name} ${size.groups} ${size.n} ${r}`, size, steps, conditionAt),
    ),
  );
  return FAULTS.map(({ alarm: name, what, since = FAULT_STEP, conditionAt }) => {
    const alarm = ALARMS.find((candidate) => candidate.name === name) as (typeof ALARMS)[number];
    const on = kinds.map((runs) => runs.filter((rows) => spansOf(alarm, rows).length > 0).length);
    const delays = Array.from({ length: faulty }, (_, r) => {
      const rows = simulatedRun(`${name} ${size.groups} ${size.n} ${r}`, size, steps, conditionAt);
      const span = spansOf(alarm, rows).find(({ from_step }) => from_step >= since);
      return span === undefined ? [] : [span.from_step - since];
    }).flat();
    return { alarm: name, fault: what, on, found: delays.length, delays: delays.sort((a, b) => a - b) };
  });
}
