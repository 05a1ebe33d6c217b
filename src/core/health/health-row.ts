// Owns what an alarm can look at: one row a step of a run. Knows no storage and no rule.

/** Null where nothing of the kind was logged at the step. Shares are in [0, 1]. */
export interface HealthRow {
  step: number;
  /** When its first request was logged, ms since 1970. */
  at_ms: number;
  rollouts: number;
  /** Of complete groups. */
  reward_mean: number | null;
  /** The same without what format rules took off. */
  unformatted_mean: number | null;
  /** Complete groups whose rewards are all equal. */
  zero_variance_share: number | null;
  parse_rate: number | null;
  /** Rollouts without a reward, by code. */
  nulls: Readonly<Record<string, number>>;
  /** Rollouts that break a format rule. */
  malformed_share: number | null;
  length_p50: number | null;
  /** Rollouts cut at the policy's length limit, of those that say how they ended. */
  at_cap_share: number | null;
  /** Mean over groups of Spearman's correlation of reward and length. */
  length_reward: number | null;
  /** Rollouts whose candidate equals an earlier one of their group. */
  duplicate_share: number | null;
  /** Decided pairs that are ties. */
  tie_share: number | null;
  /** Pairs whose verdict changes with the order shown. */
  flip_rate: number | null;
  /** Groups whose wins go in a circle, of those in which they could. */
  cyclic_share: number | null;
  /** Rollouts in whose presence the judge fails. */
  jam_share: number | null;
  /** Spearman's correlation of reward and label over the step's rollouts. */
  label_correlation: number | null;
  /** Mean over audited groups of Spearman's correlation of reward and audit. */
  audit_correlation: number | null;
  /**
   * Of groups whose prompt and rollouts were judged at an earlier step, mean of Spearman's
   * correlation of reward then, at the first of them, and now.
   */
  repeat_correlation: number | null;
  latency_p99_ms: number | null;
  /** Judgements over a part of their group, of those of the step. */
  incomplete_share: number | null;
  /** Generations that brought no answer. */
  failed_share: number | null;
}

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
    const known = values.slice(Math.max(0, end - window + 1), end + 1).filter((value) => value !== null);
    return known.length < least ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

/**
 * A share of counts over a window that ends at each place: a step of few rollouts says little. Null
 * where nothing was counted.
 */
export function pooled(
  rows: readonly HealthRow[],
  window: number,
  of: (row: HealthRow) => readonly [hits: number, count: number],
): ({ hits: number; count: number } | null)[] {
  const counts = rows.map(of);
  return counts.map((_, end) => {
    const some = counts.slice(Math.max(0, end - window + 1), end + 1);
    const sum = (at: 0 | 1) => some.reduce((all, pair) => all + pair[at], 0);
    return sum(1) === 0 ? null : { hits: sum(0), count: sum(1) };
  });
}

/** One measure over the steps; null where nothing was logged. */
export const column = <K extends keyof HealthRow>(rows: readonly HealthRow[], name: K): HealthRow[K][] =>
  rows.map((row) => row[name]);
