// Owns what an alarm can look at: one row a step of a run. Knows no storage and no rule.
import type { MEASURES } from "./measures.ts";

interface Always {
  step: number;
  /** When its first request was logged, ms since 1970. */
  at_ms: number;
  rollouts: number;
  nulls: Readonly<Record<string, number>>;
}

/** A measure of the table. */
export type MeasureName = Exclude<(typeof MEASURES)[number]["name"], keyof Always>;

/** One that is null or not there says nothing of the step. */
export type HealthRow = Always & { readonly [M in MeasureName]?: number | null };

/**
 * Means over a window that ends at each place, of what is known there; null where less than `least`
 * is.
 */
export function rolling(
  values: readonly (number | null)[],
  window: number,
  least: number = Math.ceil(window / 2),
): (number | null)[] {
  return values.map((_, end) => {
    let [sum, known] = [0, 0];
    for (let at = Math.max(0, end - window + 1); at <= end; at++) {
      const value = values[at] ?? null;
      if (value === null) continue;
      sum += value;
      known++;
    }
    return known < least ? null : sum / known;
  });
}

/** A share as what it is made of. */
export interface Counted {
  hits: number;
  count: number;
}

/**
 * A share of counts over a window that ends at each place: a step of few rollouts says little. Null
 * where nothing was counted.
 */
export function pooled(
  rows: readonly HealthRow[],
  window: number,
  of: (row: HealthRow) => Counted,
): (Counted | null)[] {
  const counts = rows.map(of);
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

/** What rewards are held against: labels, or an audit in runs where none come. */
export function truthIn(rows: readonly HealthRow[]): { truth: (number | null)[]; labelled: boolean } {
  const labels = column(rows, "label_correlation");
  const labelled = labels.some((value) => value !== null);
  return { truth: labelled ? labels : column(rows, "audit_correlation"), labelled };
}

/** One measure over the steps; null where nothing was logged. */
export const column = (rows: readonly HealthRow[], name: MeasureName): (number | null)[] =>
  rows.map((row) => row[name] ?? null);
