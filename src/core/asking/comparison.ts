// The result of a signal kind that compares a group's rollouts: counts per rollout, the selected rollout,
// measures of the comparisons and the schedule's report.

import type { NamedSchedule } from "../contract/judge-settings.ts";
import type { VerifierUse } from "../contract/verifier-use.ts";

/**
 * One rollout's results against all opponents in its group; wins + losses + ties + undecided + unasked = n -
 * 1.
 */
export interface Tally {
  wins: number;
  losses: number;
  ties: number;
  undecided: number;
  /** Number of pairs left out by the schedule or the budget. */
  unasked: number;
  /** Losses to well-formed opponents because the rollout's own candidate is missing or malformed. */
  forfeits: number;
}

export interface Selection {
  selected: number | null;
  /** Rollouts that share the highest place or score, ascending. */
  tied: number[];
  /**
   * True if the selected candidate was not compared with a rival: a candidate that has not lost, or one with
   * the same place or reward. More questions could then change the selection.
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
   * candidates) with at least two readable verdicts. Candidate order and the wording of the question are
   * ignored.
   */
  agreement: number | null;
  tie_rate: number | null;
  /** Share of the asked pairs (of different candidates) that were decided. */
  decided_rate: number | null;
}

/** How consistent a group's wins are. */
export interface Circles {
  /** Number of triples of candidates in which every pair has a winner. */
  triples: number;
  /** Number of cyclic triples: A beats B, B beats C and C beats A. */
  circles: number;
}

/** Results of comparing a group's rollouts, one entry per rollout. */
export interface ComparisonSummary {
  tallies: readonly Tally[];
  /** Null for a rollout without a score. */
  wins: readonly (number | null)[];
  votes: readonly (number | null)[];
  unparsed: readonly number[];
  /** Whether the verifier's answers fail whenever this rollout's candidate is shown. */
  jams: readonly boolean[];
  /** Whether the verifier refused questions because this candidate is too long or was filtered. */
  refused: readonly boolean[];
  selection: Selection;
  position_flip_rate: number | null;
  circles: Circles;
  /**
   * Wins, scaled to the number of all pairs. Set only if the spec leaves pairs out, grades outcomes or uses
   * another score than win counts.
   */
  points?: readonly (number | null)[];
  measures?: Measures;
  report?: ScheduleReport;
}

/**
 * How a tournament's schedule ran, and how many generations the budget did not cover (`unpaid`) or were not
 * needed (`sure`).
 */
export interface ScheduleReport {
  schedule: NamedSchedule;
  /** The score chosen by `auto`; undefined for any other score. */
  chosen?: NonNullable<VerifierUse["chosen"]>;
  unpaid: number;
  sure: number;
  /**
   * Number of questions cut off by the deadline; counted only for specs that accept a partial set of
   * comparisons.
   */
  cut: number;
}
