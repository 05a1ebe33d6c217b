// The interface of a score, which turns a group's decided comparisons into base rewards. The scores are
// listed in score-table.ts.
import type { Tally } from "../asking/comparison.ts";

/** The results of a group's comparisons, one entry per rollout. */
export interface Scoreboard {
  tallies: readonly Tally[];
  /** Whether the rollout is well-formed and lacks no comparison; values of other rollouts are ignored. */
  judged: readonly boolean[];
  /** Mean outcome over the opponents with which the rollout has a decided pair, in [0, 1]. */
  earned: readonly number[];
  /** Bradley-Terry strengths as natural log odds; minus infinity for malformed rollouts. */
  strengths(): readonly number[];
  /** Places, in [0, 1], 1 for the best, if the schedule ranks candidates; else null. */
  places: readonly number[] | null;
  /** Mean of the scores that the verifier gave, in [0, 1]; null if it gave none. */
  marks: readonly (number | null)[];
}

/** A score, defined completely by its entry in the table. */
export interface Score {
  /** The range of values in groups of at most n rollouts; malformed rollouts get the lower bound. */
  range(n: number): readonly [number, number];
  /** One value per rollout; null if the score's input is missing. */
  valuesOf(scoreboard: Scoreboard): readonly (number | null)[];
  /**
   * Points from 0 to n - 1 that rank candidates if not every pair is asked; default: derived from `earned`.
   */
  points?(scoreboard: Scoreboard): readonly number[] | null;
  /** For a score that delegates to another one: the score to use for this group. */
  choose?(scoreboard: Scoreboard): string;
  /** Set if the score needs verdicts that contain scores. */
  needsScores?: true;
}
