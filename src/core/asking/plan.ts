// A signal's work on one group: which questions to ask, given the answers so far, and the result.
import type { ContentKey } from "../candidate/classes.ts";
import type { AskedQuestion } from "./asked-questions.ts";
import type { ComparisonSummary } from "./comparison.ts";
import type { Question } from "./questions.ts";
import type { Valued } from "./signal-value.ts";

/** Details about one rollout's value: small, for people and the run log. */
export type Detail = Readonly<Record<string, unknown>>;

export interface RolloutValue {
  value: Valued;
  detail: Detail | null;
}

export interface PlanResult {
  /** One entry per rollout, in the group's order. */
  scores: readonly Valued[];
  /** One entry per rollout; omitted if the kind has no details. */
  details?: readonly (Detail | null)[];
  /** Set only by kinds that compare rollouts. */
  summary?: ComparisonSummary;
}

/**
 * Follow-up questions that depend only on the answers to one comparison, so that they can be asked while
 * other comparisons of the same batch are still running.
 */
export interface Follows {
  /** Upper bound of generations per comparison, not counting re-asked questions. */
  maxGenerations: number;
  /** Follow-up questions about one set of candidates, given everything asked about that set so far. */
  next(asked: readonly AskedQuestion[]): readonly Question[];
}

/**
 * A signal's work on one group, as a pure function of the answers so far: returns the next questions, or none
 * when the signal is done. The same answers lead to the same questions and the same result, in whatever order
 * they arrive.
 */
export interface Plan {
  /** Omitted if no question depends on the answers to a single comparison. */
  follows?: Follows;
  /** True if the plan re-asks unreadable questions within its budget; otherwise the caller re-asks them. */
  asksAgain?: boolean;
  /** Strings that the questions show instead of the group's candidates. */
  shows?: ShownTexts;
  /**
   * Upper bound of generations over all batches of questions, re-asks included, given the generations of the
   * first batch. Omitted if every question is in the first batch, except those that decide no comparison.
   */
  mostOf?(first: number): number;
  /** Upper bound of generations spent on finding the candidate that caused missing answers; omitted: none. */
  maxAttributionGenerations?: number;
  next(seen: readonly AskedQuestion[]): readonly Question[];
  result(seen: readonly AskedQuestion[]): PlanResult;
}

/** Strings taken from rollouts and shown in questions instead of candidates, without duplicates. */
export interface ShownTexts {
  texts: readonly string[];
  keys: readonly ContentKey[];
  /**
   * Per string, the index of the rollout that it comes from; the first one if several rollouts share the
   * string.
   */
  rolloutIndices: readonly number[];
}

/** A plan that asks no questions. */
export const answeredAtOnce = (scores: () => readonly Valued[], details?: () => readonly (Detail | null)[]): Plan => ({
  next: () => [],
  result: () => ({ scores: scores(), ...(details !== undefined && { details: details() }) }),
});
