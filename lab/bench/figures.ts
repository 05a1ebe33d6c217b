// Defines what a measured figure is: repeats summed up by median, minimum and maximum, against its goal.
import { percentile } from "../../src/core/math/stats.ts";

/** The figure's least or most good value; null when it is only reported. */
export type Goal = { min: number } | { max: number } | null;

export interface Figure {
  name: string;
  unit: string;
  median: number;
  min: number;
  max: number;
  /** Measured repeats, the discarded warm-up not counted. */
  repeats: number;
  goal: Goal;
}

const WARM_UP = 2;

/**
 * Sums measured values up. Throws RangeError without values: an empty measurement must not look
 * like one.
 */
export function figure(name: string, unit: string, goal: Goal, values: readonly number[]): Figure {
  if (values.length === 0) throw new RangeError(`${name}: nothing was measured`);
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted[0] as number, sorted.at(-1) as number];
  return { name, unit, median: percentile(sorted, 0.5), min, max, repeats: sorted.length, goal };
}

/** Runs `measure` twice for warming up, then `rounds` times for the figure. */
export async function repeated(
  name: string,
  unit: string,
  goal: Goal,
  rounds: number,
  measure: () => number | Promise<number>,
): Promise<Figure> {
  for (let i = 0; i < WARM_UP; i++) await measure();
  const values: number[] = [];
  for (let i = 0; i < rounds; i++) values.push(await measure());
  return figure(name, unit, goal, values);
}

/** Whether the median meets the goal; null without one. */
export function isMet({ median, goal }: Pick<Figure, "median" | "goal">): boolean | null {
  if (goal === null) return null;
  return "min" in goal ? median >= goal.min : median <= goal.max;
}
