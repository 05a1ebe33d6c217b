// Owns what a contest is told of one question about a match: what its verdicts gave, and what could
// not be read.
import { comparedIn, type Showing } from "../judges/questions.ts";
import { type Match, pairNumber } from "./schedule.ts";

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
  /** Whether a sample was answered and could not be read; told only where a budget asks again. */
  unread?: boolean;
}

/** By the candidates shown, in whatever order: how many are in it, and which. */
interface Index {
  size: number;
  byMatch: Map<number | string, Answered[]>;
}

const INDICES = new WeakMap<readonly Answered[], Index>();

const matchKey = (match: Match) => (match.length === 2 ? pairNumber(match) : comparedIn({ shown: match }));

/**
 * What was answered about a match. Of a list that only grows what was indexed before is not looked
 * at again: of thousands of questions every one is looked up in every wave.
 */
export function answeredAbout(match: Match, answered: readonly Answered[]): readonly Answered[] {
  const index: Index = INDICES.get(answered) ?? { size: 0, byMatch: new Map() };
  if (index.size === 0) INDICES.set(answered, index);
  for (; index.size < answered.length; index.size++) {
    const one = answered[index.size] as Answered;
    const key = matchKey(one.showing.shown);
    const own = index.byMatch.get(key);
    if (own === undefined) index.byMatch.set(key, [one]);
    else own.push(one);
  }
  return index.byMatch.get(matchKey(match)) ?? [];
}
