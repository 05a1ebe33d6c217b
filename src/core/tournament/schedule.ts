// Owns the shape of a schedule: which comparisons a group asks, in waves. The schedules themselves:
// schedules/. Knows no verifier and no time.

import type { ContentKey } from "../candidate/classes.ts";
import type { Spec } from "../contract/spec.ts";

/**
 * One comparison to ask: class indices in the order shown (letter A first), and how often to sample
 * it.
 */
export interface Ask {
  order: readonly number[];
  samples: number;
  /**
   * `majority`: samples that cannot change the majority may be left out; only for an ask that
   * decides its pair alone.
   */
  stop?: "majority" | "all";
  /** Number of the first sample, 0 when left out. */
  first_sample?: number;
  /** A comparison asked before whose answers could not be read, under fresh sample numbers. */
  reask?: true;
}

/**
 * Whether it shows several copies of one candidate, to see whether they fit (attribution.ts); its
 * verdict decides nothing.
 */
export const isProbe = ({ order }: Pick<Ask, "order">): boolean => order[0] === order[1];

/**
 * What came of one sample of an ask. `winner` is a class index, null when the verdict named nobody
 * (or there was none).
 */
export interface Outcome {
  ask: number;
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
 * A pure state machine: given every outcome so far it returns the next wave of asks, or none when
 * it is done. The same input and outcomes give the same asks, whatever order the outcomes came in.
 */
export interface Schedule {
  next(outcomes: readonly Outcome[]): readonly Ask[];
}

export type ScheduleFactory = (input: ScheduleInput) => Schedule;

/** A schedule that asks everything in its first wave. */
export function askAllAtOnce(asks: readonly Ask[]): Schedule {
  let asked = false;
  return {
    next() {
      if (asked) return [];
      asked = true;
      return asks;
    },
  };
}
