// The shape of a schedule: which comparisons a group asks, in waves. The schedules themselves:
// schedules/.

import type { ContentKey } from "../candidate/classes.ts";
import type { Spec } from "../contract/spec.ts";
import type { Showing } from "../judges/questions.ts";

/**
 * What one reading means to a tournament. `winner` is a class index, null when the verdict named nobody
 * (or there was none).
 */
export interface Outcome {
  /** Its question's index among those asked. */
  question: number;
  state: "parsed" | "unparsed" | "failed";
  winner: number | null;
}

export interface ScheduleInput {
  /** One key a class, in the order of the classes' indices. */
  keys: readonly ContentKey[];
  judge: Spec["judge"];
  seed: number;
}

/**
 * A pure state machine: given every outcome so far it returns the next wave of comparisons, or none when
 * it is done. The same input and outcomes give the same comparisons, whatever order the outcomes came in.
 */
export interface Schedule {
  next(outcomes: readonly Outcome[]): readonly Showing[];
}

export type ScheduleFactory = (input: ScheduleInput) => Schedule;

/** A schedule that asks everything in its first wave. */
export function askAllAtOnce(all: readonly Showing[]): Schedule {
  let asked = false;
  return {
    next() {
      if (asked) return [];
      asked = true;
      return all;
    },
  };
}
