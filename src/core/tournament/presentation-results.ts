// Results of the questions about a match, in the form that a run reads: grades per verdict, and whether an
// answer was unreadable.
import { comparedIn, type Presentation } from "../asking/questions.ts";
import { type Match, type Outcomes, pairNumber } from "./schedules/schedule.ts";

/** A question about a match, with the verdicts in its answers. */
export interface PresentationResult {
  presentation: Presentation;
  /** Per verdict: the grades of the candidates shown, in [0, 1]; unreadable verdicts are left out. */
  grades: readonly (readonly number[])[];
  /** Whether an answer was unreadable; set only if a budget covers re-asking. */
  unread?: boolean;
}

/** Index of results by the candidates shown, in any order. `size` is the number of results indexed so far. */
interface Index {
  size: number;
  byMatch: Map<number | string, PresentationResult[]>;
}

const INDICES = new WeakMap<readonly PresentationResult[], Index>();

const matchKey = (match: Match) => (match.length === 2 ? pairNumber(match) : comparedIn({ shown: match }));

/**
 * Results about a match. The index is extended as the list grows, since each of thousands of matches is
 * looked up in every wave.
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

/** The questions of a run so far, their outcomes and the tokens used; computed lazily. */
export interface RunSoFar {
  /** Append-only. */
  readonly results: readonly PresentationResult[];
  readonly outcomes: Outcomes;
  readonly tokens: number;
}

export const NOTHING_SEEN: RunSoFar = { results: [], outcomes: () => undefined, tokens: 0 };
