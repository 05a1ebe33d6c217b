// The trend of a measure over a run: its mean at the start and in the last steps, and a line in between.
import { sparkline } from "./charts.ts";
import type { HealthRow } from "./log.ts";

export type ValueOf = (row: HealthRow) => number | null | undefined;

export interface Trend {
  /** Mean of the first steps; null without a value. */
  from: number | null;
  /** Mean of the last steps; null without a value. */
  to: number | null;
  line: Element | string;
}

/** One end has at most this number of steps, and at most a quarter of the run. */
const STEPS_MOST = 10;
/** A small drawing of more values is a solid bar. */
const POINTS = 40;

/** Number of steps at each end whose mean is taken. */
export const endSteps = (rows: readonly HealthRow[]): number =>
  Math.min(STEPS_MOST, Math.max(1, Math.floor(rows.length / 4)));

function meanOf(rows: readonly HealthRow[], selectValue: ValueOf): number | null {
  const known = rows.map(selectValue).filter((value) => value != null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

export function trendOf(rows: readonly HealthRow[], selectValue: ValueOf): Trend {
  const [ends, each] = [endSteps(rows), Math.ceil(rows.length / POINTS)];
  const parts = Array.from({ length: Math.ceil(rows.length / each) || 0 }, (_, i) =>
    meanOf(rows.slice(i * each, (i + 1) * each), selectValue),
  );
  return {
    from: meanOf(rows.slice(0, ends), selectValue),
    to: meanOf(rows.slice(-ends), selectValue),
    line: sparkline(parts),
  };
}
