// Owns what a score is: how base rewards come of what was decided about a group. Scores:
// score-table.ts.
import type { Tally } from "../asking/comparison.ts";

/** What a group's comparisons came to, one entry a rollout. */
export interface Scoreboard {
  tallies: readonly Tally[];
  /** Well-formed and with nothing missing; the values of others are not used. */
  judged: readonly boolean[];
  /**
   * What it earned on average against those opponents of which something was decided, in [0, 1].
   */
  earned: readonly number[];
  /** Bradley-Terry strengths, natural log-odds; minus infinity for the malformed. */
  strengths(): readonly number[];
  /** The places of a schedule that has an order of its own, in [0, 1], 1 the best. */
  places: readonly number[] | null;
  /** The mean of the scores that the verifier itself gave, in [0, 1]; null where it gave none. */
  marks: readonly (number | null)[];
}

/** A score: its line in the table is all there is of it. */
export interface Score {
  /** Where every value lies in groups of at most n; the malformed have the least. */
  range(n: number): readonly [number, number];
  /** Null: what it rests on was not told. */
  of(scoreboard: Scoreboard): readonly (number | null)[];
  /**
   * By what candidates are ordered where not every pair is asked, in points of n - 1; default:
   * `earned`.
   */
  points?(scoreboard: Scoreboard): readonly number[] | null;
  /** Of one that stands for others: which, for this group. */
  choose?(scoreboard: Scoreboard): string;
  /** Only of verdicts that are scores. */
  needsScores?: true;
}
