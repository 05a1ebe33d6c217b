// Owns what a contest is told of one question about a match: what its verdicts gave, and what could
// not be read.
import type { Showing } from "../judges/questions.ts";

/** A sample that was answered and could not be read. */
export interface Unread {
  sample: number;
  /** It came to the end of its tokens: under the same number, with more of them, it goes on. */
  cut: boolean;
}

/**
 * A question about a match and what came of it: votes for the first shown, for the others, grades.
 */
export interface Answered {
  showing: Showing;
  /**
   * What each verdict gave the candidates shown, in [0, 1]; a verdict that could not be read has
   * none.
   */
  grades: readonly (readonly number[])[];
  /** Samples that were answered and could not be read; absent: none. */
  unread?: readonly Unread[];
}
