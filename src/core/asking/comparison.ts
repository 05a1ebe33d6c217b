// The result of a signal kind that compares a group's rollouts: counts per rollout, the selected rollout,
// measures of the comparisons and the schedule's report.

import type { VerifierUse } from "../contract/replies.ts";
import type { NamedSchedule } from "../contract/spec.ts";

/**
 * One rollout's results against all opponents in its group; wins + losses + ties + undecided + unasked = n -
 * 1.
 */
export interface Tally {
  wins: number;
  losses: number;
  ties: number;
  undecided: number;
  /** Pairs left out by the schedule or the budget. */
  unasked: number;
  /** Losses against well-formed opponents because the candidate is missing or malformed. */
  forfeits: number;
}

export interface Selection {
  selected: number | null;
  /** Rollouts that share the highest place or score, ascending. */
  tied: number[];
  /**
   * Set if the selected candidate was not compared with a rival: a candidate that lost to none of its
   * opponents, or that has the same place or reward. More questions could change the first place.
   */
  unsettled?: true;
}

export interface Measures {
  /**
   * Whether the wins form a cycle (A beats B, B beats C, C beats A, or longer): no ranking agrees with all
   * results.
   */
  cyclic: boolean;
  /**
   * Mean share of verdicts that agree with the most frequent verdict, over pairs (or lists of the same
   * candidates) with at least two readable verdicts. The order of candidates and the question do not matter.
   */
  agreement: number | null;
  tie_rate: number | null;
  /** Share of the asked pairs of different candidates that were decided. */
  decided_rate: number | null;
}

/** Consistency of a group's wins. */
export interface Circles {
  /** Triples of candidates in which every pair has a winner. */
  triples: number;
  /** Cyclic triples: A beats B, B beats C and C beats A. */
  circles: number;
}

/** Results of comparing a group's rollouts, one entry per rollout. */
export interface ComparisonSummary {
  tallies: readonly Tally[];
  /** Null for a rollout without a score. */
  wins: readonly (number | null)[];
  votes: readonly (number | null)[];
  unparsed: readonly number[];
  /** Whether the verifier's answers fail whenever this candidate is shown. */
  jams: readonly boolean[];
  /** Whether the verifier refused questions because of this candidate: too long, or filtered. */
  refused: readonly boolean[];
  selection: Selection;
  position_flip_rate: number | null;
  circles: Circles;
  /**
   * Wins on the scale of all pairs. Only in specs that leave pairs out, grade outcomes or use another score
   * than win counts.
   */
  points?: readonly (number | null)[];
  measures?: Measures;
  report?: ScheduleReport;
}

/**
 * How a tournament's schedule ran, including the generations that the budget did not cover or that were not
 * needed.
 */
export interface ScheduleReport {
  schedule: NamedSchedule;
  /** The score chosen by `auto`; undefined for any other score. */
  chosen?: NonNullable<VerifierUse["chosen"]>;
  unpaid: number;
  sure: number;
  /** Questions cut off by the deadline, in specs that accept a partial set of comparisons. */
  cut: number;
}
