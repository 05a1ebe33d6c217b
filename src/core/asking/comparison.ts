// The result of a kind that compares a group's rollouts: counts of each rollout, who is selected, measures of
// the comparisons, and what it will ask.

import type { VerifierUse } from "../contract/replies.ts";
import type { NamedSchedule } from "../contract/spec.ts";

/**
 * One rollout's score against every opponent of its group; wins + losses + ties + undecided +
 * unasked = n - 1.
 */
export interface Tally {
  wins: number;
  losses: number;
  ties: number;
  undecided: number;
  /** Pairs that the schedule or the budget left out. */
  unasked: number;
  /** Losses against well-formed opponents because the candidate is missing or malformed. */
  forfeits: number;
}

export interface Selection {
  selected: number | null;
  /** Rollouts that share the highest place or score, ascending. */
  tied: number[];
  /**
   * The selected candidate never met another one that lost to none of its opponents, or that
   * has the same place or reward: the questions asked leave the first place open.
   */
  unsettled?: true;
}

export interface Measures {
  /** Whether somebody beat, over others, someone who beat him: no order agrees with all results. */
  cyclic: boolean;
  /**
   * Over pairs, or lists of the same candidates, with at least two readable verdicts: the mean share of
   * verdicts that agree with the most frequent one, in whatever order and question they were asked.
   */
  agreement: number | null;
  tie_rate: number | null;
  /** Share of the asked pairs of different candidates of which something was decided. */
  decided_rate: number | null;
}

/** How consistent a group's wins are. */
export interface Circles {
  /** Three candidates of which each pair was won by one of the two. */
  triples: number;
  /** Triples among these in which A beats B, B beats C and C beats A. */
  circles: number;
}

/** Counts from comparing a group's rollouts, one entry a rollout. */
export interface ComparisonSummary {
  tallies: readonly Tally[];
  /** Null without a score. */
  wins: readonly (number | null)[];
  votes: readonly (number | null)[];
  unparsed: readonly number[];
  /** The verifier's answers fail where the candidate is shown. */
  jams: readonly boolean[];
  /** The verifier refused questions that show it, because of it: too long, or filtered. */
  refused: readonly boolean[];
  selection: Selection;
  position_flip_rate: number | null;
  circles: Circles;
  /**
   * Only in specs that leave pairs out, grade outcomes or score in another way; wins on the scale of all
   * pairs.
   */
  points?: readonly (number | null)[];
  measures?: Measures;
  report?: ScheduleReport;
}

/** A run's report: its schedule, and generations that were not paid or not needed. */
export interface ScheduleReport {
  schedule: NamedSchedule;
  /** The score that `auto` chose; undefined with other scores. */
  chosen?: NonNullable<VerifierUse["chosen"]>;
  unpaid: number;
  sure: number;
  /** Questions that the deadline came before, where a part of the comparisons is enough. */
  cut: number;
}
