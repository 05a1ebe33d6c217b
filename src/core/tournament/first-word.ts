// Owns what the judge that is asked first (`judge.first`) says of a pair: whether that settles it,
// and what then counts of the verdicts of both judges. Knows no schedule and no verifier.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn, FIRST_FROM, type Presentation } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { Judge } from "../asking/signal.ts";
import type { PresentationResult } from "./presentation-results.ts";

type FirstJudge = NonNullable<Judge["first"]>;

/** The same questions, each put once to the judge that is asked first. */
export const putFirst = (presentations: readonly Presentation[]): Presentation[] =>
  presentations.map(({ shown }) => ({ shown, samples: 1, first_sample: FIRST_FROM, by: "first" }));

export const isByFirst = ({ presentation }: Pick<PresentationResult, "presentation">): boolean =>
  presentation.by === "first";

const isRead = ({ grades }: PresentationResult) => grades.length > 0;

/**
 * Whether what the first judge said of a pair stands without the judge proper: all of it was read,
 * its mean is not close, and no order speaks for the other of the two.
 */
export function isSettled(results: readonly PresentationResult[], { close: [, high] }: FirstJudge): boolean {
  if (!results.every(isRead)) return false;
  const first = results[0]?.presentation.shown[0];
  const outcomes = results.map(({ presentation, grades: [[a = 0, b = 0] = []] }) =>
    presentation.shown[0] === first ? (1 + a - b) / 2 : (1 + b - a) / 2,
  );
  if (outcomes.some((outcome) => outcome > 0.5) && outcomes.some((outcome) => outcome < 0.5)) return false;
  const mean = outcomes.reduce((sum, outcome) => sum + outcome, 0) / outcomes.length;
  return Math.max(mean, 1 - mean) > high;
}

/**
 * How often each question's verdicts count; null: each once. Of a pair that the judge proper was
 * asked about its verdicts do, or with `mean` those of both, each judge's together as much as the
 * other's, where both were read. A first word that settles nothing counts for nothing: nor does it
 * where the judge proper fails.
 */
export function weightsOf(results: readonly PresentationResult[], { first }: Judge): readonly number[] | null {
  if (first === undefined) return null;
  const weights = results.map(() => 1);
  const byPair = Map.groupBy(results.keys(), (q) => comparedIn((results[q] as PresentationResult).presentation));
  for (const questions of byPair.values()) {
    const of = (by: "first" | "proper") =>
      questions.filter((q) => isByFirst(results[q] as PresentationResult) === (by === "first"));
    const [before, own] = [of("first"), of("proper")];
    const said = before.map((q) => results[q] as PresentationResult);
    const verdicts = own.reduce((sum, q) => sum + (results[q] as PresentationResult).grades.length, 0);
    const both = first.combine === "mean" && verdicts > 0 && said.every(isRead);
    const alone = own.length === 0 && isSettled(said, first);
    for (const q of before) weights[q] = both ? verdicts : Number(alone);
    if (both) for (const q of own) weights[q] = before.length || 1;
  }
  return weights;
}

/** Of fewer answers a share says little. */
const UNREAD_OF = 6;

/**
 * `first_unread`: the judge that is asked first answers, and most of that cannot be read, so that
 * its pairs are paid for twice.
 */
export function firstUnread(asked: readonly AskedQuestion[]): string[] {
  const answers = asked.flatMap(({ question, readings }) =>
    question.by === "first" ? readings.filter(({ status }) => status !== null) : [],
  );
  const unread = answers.filter(isUnparsed).length;
  if (answers.length < UNREAD_OF || unread <= answers.length / 2) return [];
  return [
    `first_unread: ${unread} of ${answers.length} answers of the judge that is asked first cannot be read, and its pairs are asked of both`,
  ];
}
