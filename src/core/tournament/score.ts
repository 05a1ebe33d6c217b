// The interface of a score: how base rewards follow from the decisions about a group. Scores: score-table.ts.
import type { Tally } from "../asking/comparison.ts";

/** The results of a group's comparisons, one entry a rollout. */
export interface Scoreboard {
  tallies: readonly Tally[];
  /** Well-formed and with nothing missing; the values of others are not used. */
  judged: readonly boolean[];
  /** Its mean outcome against the opponents with a decision, in [0, 1]. */
  earned: readonly number[];
  /** Bradley-Terry strengths, natural log-odds; minus infinity for the malformed. */
  strengths(): readonly number[];
  /** The places of a schedule with a ranking, in [0, 1], 1 the best. */
  places: readonly number[] | null;
  /** The mean of the scores that the verifier itself gave, in [0, 1]; null where it gave none. */
  marks: readonly (number | null)[];
}

/** A score: its line in the table is all there is of it. */
export interface Score {
  /** Where every value lies in groups of at most n; the malformed have the least. */
  range(n: number): readonly [number, number];
  /** Null: its input is unknown. */
  valuesOf(scoreboard: Scoreboard): readonly (number | null)[];
  /**
   * By what candidates are ordered where not every pair is asked, in points of n - 1; default:
   * `earned`.
   */
  points?(scoreboard: Scoreboard): readonly number[] | null;
  /** For a score that selects another: which, for this group. */
  choose?(scoreboard: Scoreboard): string;
  /** Only of verdicts that are scores. */
  needsScores?: true;
}
