// The outcome of one reading in a tournament.

/** The outcome of one sample of a question. */
export interface Outcome {
  /** Index of the question among the asked questions. */
  question: number;
  state: "parsed" | "unparsed" | "failed";
  /** Class of the winner; null if the verdict is missing or chose no candidate. */
  winner: number | null;
  /** The grade of each candidate in [0, 1], in the order shown; only for a graded verdict. */
  grades?: readonly number[];
}

/** Each candidate's share of a verdict in [0, 1]: its grade, or 1 for the winner and 0 for the others. */
export const gradesOf = ({ winner, grades }: Outcome, shown: readonly number[]): readonly number[] =>
  grades ?? shown.map((i) => (i === winner ? 1 : 0));
