// Owns what one reading means to a tournament. Knows no schedule and no verifier.

/** What came of one sample of a question. */
export interface Outcome {
  /** Its question's index among those asked. */
  question: number;
  state: "parsed" | "unparsed" | "failed";
  /** A class index; null when the verdict named nobody, or there was none. */
  winner: number | null;
  /** Of a graded verdict: what each candidate shown got, in [0, 1], in the order shown. */
  grades?: readonly number[];
}

/** What a verdict gave each candidate shown, in [0, 1]: its grades, or all to the winner. */
export const gradesOf = ({ winner, grades }: Outcome, shown: readonly number[]): readonly number[] =>
  grades ?? shown.map((i) => (i === winner ? 1 : 0));
