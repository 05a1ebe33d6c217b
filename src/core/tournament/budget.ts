// Defines what a budget pays of a group's questions, whatever they are asked for, and the refusal of one that
// pays too little.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { isAside, type Presentation, REASK_FROM, REPEAT_FROM, samplesNamed } from "../asking/questions.ts";
import { isUnread } from "../asking/readings.ts";
import { missingRules, type Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { firstCost } from "./pair-questions.ts";
import type { PresentationResult } from "./presentation-results.ts";
import { trialsMost } from "./trials.ts";

/**
 * Generations that the budget pays for a group of n. A ratio is of all pairs as the judge asks each
 * at first, and pays at least n - 1 pairs: with fewer some would go without.
 */
export function generationsOf(judge: Spec["judge"], n: number): number {
  const { generations, ratio } = judge.budget ?? {};
  const pairs = (count: number) => count * firstCost(judge);
  if (ratio !== undefined) return Math.max(Math.floor(ratio * pairs((n * (n - 1)) / 2)), pairs(n - 1));
  return generations ?? Number.POSITIVE_INFINITY;
}

/** First askings that are paid even if each takes max_tokens. */
function paidFor(judge: Spec["judge"], generations: number): number {
  const { budget, max_tokens } = judge;
  return budget?.tokens === undefined ? generations : Math.floor(budget.tokens / max_tokens);
}

/** @throws ApiError where the budget does not pay one pair for everyone, n - 1 in all */
function assertPays(judge: Spec["judge"], n: number, generations: number): void {
  const minGenerations = Math.max(0, n - 1) * firstCost(judge);
  const { tokens } = judge.budget ?? {};
  const paid = paidFor(judge, generations);
  if (paid >= minGenerations) return;
  const tokenNote = tokens === undefined ? "" : ` of at most max_tokens = ${judge.max_tokens} tokens each`;
  throw new ApiError(
    "invalid_request",
    `judge.budget pays ${paid} generations${tokenNote}; comparing ${n} different candidates takes at least ${minGenerations}. Raise it, or use smaller groups.`,
  );
}

/**
 * Upper bound on the generations of a schedule of n candidates that asks `most`: each asked again
 * without a verdict (`reask`), questions aside, and the first wave once more without those at fault.
 * @param first generations of the first wave, as far as they may be asked again without some
 */
export function mostWithAgain(judge: Spec["judge"], n: number, maxGenerations: number, first: number): number {
  if (maxGenerations === 0) return 0;
  return (1 + missingRules(judge).reask) * (maxGenerations + first) + asideMost(judge, n);
}

/** Generations of questions aside at most: each candidate is probed once. */
const asideMost = ({ mode }: Spec["judge"], n: number): number => n + trialsMost(mode, n);

const nameOf = (presentation: Presentation): string => `${presentation.shown.join()}:${samplesNamed(presentation)}`;

/**
 * The same question asked once more because its answer was unreadable; null where that was done often enough.
 */
function onceMore(presentation: Presentation, reask: number): Presentation | null {
  const { first_sample = 0 } = presentation;
  if (isAside(presentation)) return null;
  if (Math.floor((first_sample % REPEAT_FROM) / REASK_FROM) >= reask) return null;
  return { ...presentation, first_sample: first_sample + REASK_FROM, reask: true };
}

/**
 * A group's budget: every question is paid before it is asked, by all generations and tokens that it may
 * cost. So no answer takes more than there is, as long as none is longer than its `max_tokens`.
 */
export class Budget {
  /** Generations that were wanted and not paid. */
  unpaid = 0;
  /** Generations that it pays, infinite where nothing is said of them. */
  readonly generations: number;
  private readonly judge: Spec["judge"];
  private spent = 0;
  private asideRemaining: number;

  /** @throws ApiError where it pays too little */
  constructor(judge: Spec["judge"], n: number) {
    this.judge = judge;
    this.generations = generationsOf(judge, n);
    this.asideRemaining = asideMost(judge, n);
    if (judge.mode === "pairwise") assertPays(judge, n, this.generations);
  }

  /** Whether what could not be read is asked again out of it, by the run itself. */
  get asksAgain(): boolean {
    return this.judge.budget !== undefined && missingRules(this.judge).reask > 0;
  }

  /**
   * The presentations that are paid, in their order. @param seen with the tokens that were generated so far
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

  /** At most the questions aside that `mostWithAgain` counts, then those of them that are paid. */
  paysAside(presentations: readonly Presentation[], seen: { readonly tokens: number }): readonly Presentation[] {
    const few = presentations.filter((presentation) => {
      if (!isAside(presentation)) return true;
      this.asideRemaining -= presentation.samples;
      return this.asideRemaining >= 0;
    });
    return this.pays(few, seen);
  }

  /** The unreadable questions of the last wave, once more. */
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
 * Indices of the questions that could not be read and that a budget did not pay once more: what ran
 * out is unasked, and no failure.
 */
export function ranOut(asked: readonly AskedQuestion[], judge: Spec["judge"]): ReadonlySet<number> {
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
