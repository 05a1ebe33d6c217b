// The input of alarms: one row per training step of a run.
import type { MEASURES } from "./measures.ts";

interface Always {
  step: number;
  /** Time when the step's first request was logged, ms since 1970. */
  at_ms: number;
  rollouts: number;
  nulls: Readonly<Record<string, number>>;
}

export type MeasureName = Exclude<(typeof MEASURES)[number]["name"], keyof Always>;

/** A row of measures. A measure that is null or missing is unknown at this step. */
export type HealthRow = Always & { readonly [M in MeasureName]?: number | null };

/**
 * Rolling mean over the known values of the last `window` steps; null if fewer than `minKnown` values are
 * known.
 */
export function rolling(
  values: readonly (number | null)[],
  window: number,
  minKnown: number = Math.ceil(window / 2),
): (number | null)[] {
  return values.map((_, end) => {
    let [sum, known] = [0, 0];
    for (let at = Math.max(0, end - window + 1); at <= end; at++) {
      const value = values[at] ?? null;
      if (value === null) continue;
      sum += value;
      known++;
    }
    return known < minKnown ? null : sum / known;
  });
}

/** A share as numerator and denominator. */
export interface Counted {
  hits: number;
  count: number;
}

/**
 * Rolling sum of counts over the last `window` steps, because a share over few rollouts is noisy. Null if
 * nothing was counted.
 */
export function pooled(
  rows: readonly HealthRow[],
  window: number,
  countedOf: (row: HealthRow) => Counted,
): (Counted | null)[] {
  const counts = rows.map(countedOf);
  return counts.map((_, end) => {
    const sum = { hits: 0, count: 0 };
    for (let at = Math.max(0, end - window + 1); at <= end; at++) {
      const { hits, count } = counts[at] as Counted;
      sum.hits += hits;
      sum.count += count;
    }
    return sum.count === 0 ? null : sum;
  });
}

/**
 * If the spread of labels is below this fraction of the first steps' spread, labels are too uniform to
 * correlate rewards with.
 */
const LEAST_SPREAD = 0.5;

/**
 * Correlation of rewards with labels per step, or with the audit for runs without labels.
 *
 * When a policy converges, its labels become more alike, and the correlation falls although rewards rank
 * correct and wrong answers as well as before. Each value is therefore corrected to the spread that labels
 * had in the first steps (restriction of range, Thorndike 1949, case 2): r u / sqrt(1 - r^2 + r^2 u^2) with u
 * = the spread in the first steps divided by the spread in this step. Null if labels have become too uniform.
 * Audits are not corrected, because both judges compare within groups.
 * @param first_steps number of steps whose mean spread is the reference
 */
export function truthIn(
  rows: readonly HealthRow[],
  first_steps: number,
): { truth: (number | null)[]; labelled: boolean } {
  const labels = column(rows, "label_correlation");
  if (labels.every((value) => value === null)) return { truth: column(rows, "audit_correlation"), labelled: false };
  const spreads = column(rows, "label_std");
  const [first] = rolling(spreads.slice(0, first_steps), first_steps, 1).slice(-1);
  const truth = labels.map((correlation, i) => {
    const spread = spreads[i];
    if (correlation === null || first == null || spread == null) return correlation;
    if (spread < LEAST_SPREAD * first) return null;
    const ratio = Math.max(1, first / spread);
    return (correlation * ratio) / Math.sqrt(1 - correlation ** 2 + (correlation * ratio) ** 2);
  });
  return { truth, labelled: true };
}

/** The values of one measure by step; null if nothing was logged. */
export const column = (rows: readonly HealthRow[], name: MeasureName): (number | null)[] =>
  rows.map((row) => row[name] ?? null);
