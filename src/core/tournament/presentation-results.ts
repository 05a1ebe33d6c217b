// Defines what a run learns of one question about a match: what its verdicts gave, and what could not be
// read.
import { comparedIn, type Presentation } from "../asking/questions.ts";
import { type Match, type Outcomes, pairNumber } from "./schedules/schedule.ts";

/** A question about a match and its answers: votes for the first shown, for the others, grades. */
export interface PresentationResult {
  presentation: Presentation;
  /** Each verdict's grades for the candidates shown, in [0, 1]; an unreadable verdict has none. */
  grades: readonly (readonly number[])[];
  /** Whether a sample was answered and could not be read; told only where a budget asks again. */
  unread?: boolean;
}

/** By the candidates shown, in whatever order: how many are in it, and which. */
interface Index {
  size: number;
  byMatch: Map<number | string, PresentationResult[]>;
}

const INDICES = new WeakMap<readonly PresentationResult[], Index>();

const matchKey = (match: Match) => (match.length === 2 ? pairNumber(match) : comparedIn({ shown: match }));

/**
 * Answers about a match. In a list that only grows, entries indexed before are not looked at again: each of
 * thousands of questions is looked up in every wave.
 */
export function resultsAbout(match: Match, answered: readonly PresentationResult[]): readonly PresentationResult[] {
  const index: Index = INDICES.get(answered) ?? { size: 0, byMatch: new Map() };
  if (index.size === 0) INDICES.set(answered, index);
  for (; index.size < answered.length; index.size++) {
    const result = answered[index.size] as PresentationResult;
    const key = matchKey(result.presentation.shown);
    const sameMatch = index.byMatch.get(key);
    if (sameMatch === undefined) index.byMatch.set(key, [result]);
    else sameMatch.push(result);
  }
  return index.byMatch.get(matchKey(match)) ?? [];
}

/** The questions so far, and the tokens that they took; computed where they are read. */
export interface RunSoFar {
  /** May grow, and is never changed otherwise. */
  readonly results: readonly PresentationResult[];
  readonly outcomes: Outcomes;
  readonly tokens: number;
}

export const NOTHING_SEEN: RunSoFar = { results: [], outcomes: () => undefined, tokens: 0 };
