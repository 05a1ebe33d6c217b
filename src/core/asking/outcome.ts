// Defines what one reading means to a tournament.

/** The outcome of one sample of a question. */
export interface Outcome {
  /** Its question's index among those asked. */
  question: number;
  state: "parsed" | "unparsed" | "failed";
  /** A class index; null when the verdict chose no candidate, or is missing. */
  winner: number | null;
  /** Only of a graded verdict: each candidate's grade in [0, 1], in the order shown. */
  grades?: readonly number[];
}

/** Each candidate's share of a verdict in [0, 1]: its grade, or all to the winner. */
export const gradesOf = ({ winner, grades }: Outcome, shown: readonly number[]): readonly number[] =>
  grades ?? shown.map((i) => (i === winner ? 1 : 0));
