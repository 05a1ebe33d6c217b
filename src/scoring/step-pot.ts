// Owns the sharing of a request's `step_budget`: groups wait for each other before every wave but
// the first, so that what is paid hangs on answers alone and never on who was quicker.

import type { AskedQuestion } from "../core/asking/asked-questions.ts";
import type { Question } from "../core/asking/questions.ts";
import type { StepBudget } from "../core/contract/spending.ts";
import { ApiError } from "../core/faults/errors.ts";
import type { OpenSignal } from "../core/reward/group-signals.ts";
import { payRound, type WaitingWave } from "../core/tournament/step-budget.ts";

/** One group's tournament among those that share the budget. */
export interface PotMember {
  /**
   * Waits until no other group's wave is in flight. Resolves to whether this one is paid; one that
   * is not never will be.
   * @param asked all that was answered about the group so far
   */
  pays(wave: readonly Question[], asked: readonly AskedQuestion[]): Promise<boolean>;
  /** The group asks nothing more. */
  leaves(asked: readonly AskedQuestion[]): void;
}

interface Waiting extends WaitingWave {
  answer: (paid: boolean) => void;
}

const generationsOf = (wave: readonly Question[]) => wave.reduce((sum, { samples }) => sum + samples, 0);
const tokensOf = (asked: readonly AskedQuestion[]) =>
  asked.reduce((sum, { readings }) => sum + readings.reduce((all, one) => all + one.completion_tokens, 0), 0);

export class StepPot {
  private readonly unit: "generations" | "tokens";
  private readonly whole: number;
  /** Tokens of all answers, or generations asked, by group. */
  private readonly spent: number[] = [];
  /** What the first waves of all may come to. */
  private first = 0;
  /** Groups of which a wave is in flight. */
  private running = 0;
  private waiting: Waiting[] = [];

  constructor({ generations, tokens }: StepBudget) {
    this.unit = tokens === undefined ? "generations" : "tokens";
    this.whole = (tokens ?? generations) as number;
  }

  /** A group's tournament, with its first wave, which is asked whatever it tells. */
  joins({ group: { keys }, judge, plan }: OpenSignal, first: readonly Question[]): PotMember {
    const inTokens = this.unit === "tokens";
    const costOf = (wave: readonly Question[]) => generationsOf(wave) * (inTokens ? judge.max_tokens : 1);
    const id = this.spent.push(inTokens ? 0 : generationsOf(first)) - 1;
    const answered = (asked: readonly AskedQuestion[]) => {
      if (inTokens) this.spent[id] = tokensOf(asked);
    };
    this.first += costOf(first);
    this.running++;
    return {
      pays: async (wave, asked) => {
        answered(asked);
        const { promise, resolve } = Promise.withResolvers<boolean>();
        const cost = costOf(wave);
        this.waiting.push({ keys, cost, worth: plan.worth?.() ?? 0, answer: resolve });
        this.ends();
        const paid = await promise;
        if (paid && !inTokens) this.spent[id] = (this.spent[id] as number) + cost;
        return paid;
      },
      leaves: (asked) => {
        answered(asked);
        this.ends();
      },
    };
  }

  /** @throws ApiError `invalid_request` where the first waves of all may take more than there is */
  assertPaysFirst(): void {
    if (this.first <= this.whole) return;
    const path = `step_budget.${this.unit}`;
    const message = `${this.whole}; the first comparisons of ${this.spent.length} groups may take ${this.first}`;
    throw new ApiError("invalid_request", `${path}: ${message}.`, { errors: [{ path, message }] });
  }

  /** One group less is in flight; the last of them begins the next round. */
  private ends(): void {
    this.running--;
    if (this.running > 0 || this.waiting.length === 0) return;
    const left = this.whole - this.spent.reduce((sum, spent) => sum + spent, 0);
    const { paid, refused } = payRound(this.waiting, left);
    const over = new Set([...paid, ...refused]);
    this.waiting = this.waiting.filter((wave) => !over.has(wave));
    this.running = over.size;
    for (const { answer } of paid) answer(true);
    for (const { answer } of refused) answer(false);
  }
}
