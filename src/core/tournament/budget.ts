// A group's budget: decides which questions it covers, for every purpose, and rejects budgets that are too
// small.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { decides, nextAttempt } from "../asking/purpose.ts";
import { type Presentation, samplesNamed } from "../asking/questions.ts";
import { isUnread } from "../asking/readings.ts";
import { type JudgeSettings, missingRules } from "../contract/judge-settings.ts";
import { ApiError } from "../faults/errors.ts";
import { firstCost } from "./pair-questions.ts";
import type { PresentationResult } from "./presentation-results.ts";
import { trialsMost } from "./trials.ts";

/**
 * Generations that the budget covers for a group of n candidates. A ratio is a share of the first questions
 * about all pairs; the minimum is n - 1 pairs, so that every candidate is compared.
 */
export function generationsOf(judge: JudgeSettings, n: number): number {
  const { generations, ratio } = judge.budget ?? {};
  const pairs = (count: number) => count * firstCost(judge);
  if (ratio !== undefined) return Math.max(Math.floor(ratio * pairs((n * (n - 1)) / 2)), pairs(n - 1));
  return generations ?? Number.POSITIVE_INFINITY;
}

/** Number of generations that the budget covers even if each uses max_tokens. */
function paidFor(judge: JudgeSettings, generations: number): number {
  const { budget, max_tokens } = judge;
  return budget?.tokens === undefined ? generations : Math.floor(budget.tokens / max_tokens);
}

/** @throws ApiError if the budget does not cover n - 1 pairs, the minimum for comparing every candidate */
function assertPays(judge: JudgeSettings, n: number, generations: number): void {
  const minGenerations = Math.max(0, n - 1) * firstCost(judge);
  const { tokens } = judge.budget ?? {};
  const paid = paidFor(judge, generations);
  if (paid >= minGenerations) return;
  const tokenNote = tokens === undefined ? "" : ` of at most max_tokens = ${judge.max_tokens} tokens each`;
  throw new ApiError(
    "invalid_request",
    `judge.budget pays for ${paid} generations${tokenNote}; comparing ${n} different candidates takes at least ${minGenerations}. Raise it, or use smaller groups.`,
  );
}

/**
 * Upper bound of the generations of a schedule that asks `maxGenerations` about n candidates. Includes
 * re-asked questions (`reask`), diagnostic questions, and the first wave repeated without the candidates that
 * made its questions fail.
 * @param first generations of the first wave that may be repeated without some candidates
 */
export function mostWithAgain(judge: JudgeSettings, n: number, maxGenerations: number, first: number): number {
  if (maxGenerations === 0) return 0;
  return (1 + missingRules(judge).reask) * (maxGenerations + first) + asideMost(judge, n);
}

/** Maximum number of generations of diagnostic questions: one probe per candidate, and the trials. */
const asideMost = (judge: JudgeSettings, n: number): number => n + trialsMost(judge, n);

const nameOf = (presentation: Presentation): string => `${presentation.shown.join()}:${samplesNamed(presentation)}`;

/** The same question, asked again because its answer was unreadable; null if the limit `reask` is reached. */
function onceMore(presentation: Presentation, reask: number): Presentation | null {
  const purpose = nextAttempt(presentation.purpose, reask);
  return purpose === null ? null : { ...presentation, purpose };
}

/**
 * A group's budget. Every question is charged before it is asked, with the maximum number of generations and
 * tokens that it may cost. So the answers never exceed the budget, as long as each respects its `max_tokens`.
 */
export class Budget {
  /** Generations that were requested but not covered. */
  unpaid = 0;
  /** Generations that the budget covers; infinite if it sets no limit on generations. */
  readonly generations: number;
  private readonly judge: JudgeSettings;
  private spent = 0;
  private asideRemaining: number;

  /** @throws ApiError if the budget is too small */
  constructor(judge: JudgeSettings, n: number) {
    this.judge = judge;
    this.generations = generationsOf(judge, n);
    this.asideRemaining = asideMost(judge, n);
    if (judge.mode === "pairwise") assertPays(judge, n, this.generations);
  }

  /** Whether the run itself re-asks unreadable questions and charges them to the budget. */
  get asksAgain(): boolean {
    return this.judge.budget !== undefined && missingRules(this.judge).reask > 0;
  }

  /**
   * Returns the presentations that the budget covers, in the given order.
   * @param seen the number of tokens generated so far
   */
  pays(presentations: readonly Presentation[], seen: { readonly tokens: number }): readonly Presentation[] {
    const { budget, max_tokens } = this.judge;
    if (budget === undefined) return presentations;
    let generations = this.spent;
    let tokens = budget.tokens === undefined ? 0 : seen.tokens;
    const limits = { generations: this.generations, tokens: budget.tokens ?? Number.POSITIVE_INFINITY };
    return presentations.filter((presentation) => {
      const { samples } = presentation;
      if (generations + samples > limits.generations || tokens + samples * max_tokens > limits.tokens) {
        this.unpaid += samples;
        return false;
      }
      this.spent += samples;
      generations += samples;
      tokens += samples * max_tokens;
      return true;
    });
  }

  /**
   * Limits diagnostic questions to the number that `mostWithAgain` allows for, then returns the presentations
   * that the budget covers.
   */
  paysAside(presentations: readonly Presentation[], seen: { readonly tokens: number }): readonly Presentation[] {
    const few = presentations.filter((presentation) => {
      if (decides(presentation)) return true;
      this.asideRemaining -= presentation.samples;
      return this.asideRemaining >= 0;
    });
    return this.pays(few, seen);
  }

  /** The unreadable questions in the last wave, to be asked again. */
  retriesFor(wave: readonly Presentation[], results: readonly PresentationResult[]): Presentation[] {
    if (!this.asksAgain) return [];
    const { reask } = missingRules(this.judge);
    const byName = new Map(results.map((result) => [nameOf(result.presentation), result]));
    return wave.flatMap((presentation) => {
      const { grades = [], unread = false } = byName.get(nameOf(presentation)) ?? {};
      return grades.length === 0 && unread ? (onceMore(presentation, reask) ?? []) : [];
    });
  }
}

/**
 * Indices of unreadable questions that the budget could not cover asking again. They count as unasked, not as
 * failed.
 */
export function ranOut(asked: readonly AskedQuestion[], judge: JudgeSettings): ReadonlySet<number> {
  const { reask } = missingRules(judge);
  if (judge.budget === undefined || reask === 0) return new Set();
  const known = new Set(asked.map(({ question }) => nameOf(question)));
  return new Set(
    asked.flatMap(({ question, readings }, q) => {
      const more = isUnread(readings) ? onceMore(question, reask) : null;
      return more === null || known.has(nameOf(more)) ? [] : [q];
    }),
  );
}
