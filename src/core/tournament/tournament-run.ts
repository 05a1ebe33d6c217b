// Runs one group's comparisons: the schedule's waves, the questions of each pair, and the budget.
// Deterministic: the same answers lead to the same questions.

import { decides } from "../asking/purpose.ts";
import { comparedIn, type Presentation } from "../asking/questions.ts";
import type { ContentKey } from "../candidate/classes.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { listLimitOf } from "../judges/presets/table.ts";
import { Budget, mostWithAgain } from "./budget.ts";
import { leastAskedFirst, seededOrder } from "./match-order.ts";
import { scheduleOf } from "./named-schedule.ts";
import {
  firstCost,
  firstPresentations,
  furtherPresentations,
  isGraded,
  mayAskFurther,
  mostCost,
  otherOrder,
  samplesOf,
  type Wording,
} from "./pair-questions.ts";
import { type PresentationResult, type RunSoFar, resultsAbout } from "./presentation-results.ts";
import {
  type Match,
  meanOutcome,
  type Outcomes,
  type Schedule,
  type ScheduleInput,
  ScheduleRun,
} from "./schedules/schedule.ts";

interface TournamentRunInput {
  /** One content key per candidate. */
  keys: readonly ContentKey[];
  judge: JudgeSettings;
  seed: number;
  /** Index of the group's reference, if it takes part as a candidate. */
  reference?: number;
}

export class TournamentRun {
  readonly judge: JudgeSettings;
  readonly kind: Schedule;
  /** Whether every pair will be asked. */
  readonly complete: boolean;
  private readonly input: TournamentRunInput & Pick<Wording, "listsInOrder">;
  private readonly order: readonly number[];
  private readonly budget: Budget;
  private readonly mostPairs: number | null;
  private readonly field: ScheduleInput;
  private readonly scheduleRun: ScheduleRun;
  private open: readonly Match[] = [];
  /** Per list key: how often the schedule has asked about a list of the same candidates. */
  private readonly lists = new Map<string, number>();
  /** The most recently asked questions. */
  private last: readonly Presentation[] = [];
  /** Number of generations in the first wave. */
  private first = 0;
  /**
   * Number of generations spent on questions that were asked again after the schedule ended, without the
   * candidates that made them fail.
   */
  private after = 0;
  private finishing = false;
  /** Whether the schedule ran to its end instead of being stopped by the budget. */
  ended = false;

  constructor(input: TournamentRunInput) {
    const { keys, judge, seed, reference } = input;
    const players = keys.map((_, i) => i);
    this.order = seededOrder(players, keys, seed);
    this.budget = new Budget(judge, this.order.length);
    this.judge = judge;
    const { schedule, settings } = scheduleOf(judge.schedule);
    this.input = { ...input, listsInOrder: schedule.listsInOrder?.(settings) === true };
    this.complete = schedule.complete && judge.budget === undefined;
    this.kind = schedule;
    this.mostPairs = schedule.maxPairs?.(this.order.length, settings) ?? null;
    const hasBudget = judge.budget !== undefined;
    const asked = { graded: isGraded(judge), hasBudget, listLimit: listLimitOf(judge.prompt) };
    this.field = { order: this.order, ...asked, settings, reference };
    this.scheduleRun = this.begin();
  }

  private begin(): ScheduleRun {
    return new ScheduleRun(this.kind, this.field);
  }

  /** Whether questions may depend on answers, so that there may be several waves. */
  private get adaptive(): boolean {
    const { confidence } = samplesOf(this.judge);
    return this.mostPairs !== null || confidence !== null || this.judge.both_orders === "when_close";
  }

  /** Generations that the schedule requested but the budget did not cover. */
  get unpaid(): number {
    return this.budget.unpaid;
  }

  /** Whether the run itself re-asks unreadable questions and charges them to the budget. */
  get asksAgain(): boolean {
    return this.budget.asksAgain;
  }

  /**
   * Upper bound of the generations over all waves, given those of the first wave; includes re-asked and
   * diagnostic questions.
   */
  mostOf(first: number): number {
    const all = mostWithAgain(this.judge, this.order.length, this.mostOfWaves(first), this.afterOf(first));
    return Math.min(all, this.budget.generations);
  }

  private mostOfWaves(first: number): number {
    if (!this.adaptive) return first;
    const pairs = this.mostPairs ?? Math.ceil(first / firstCost(this.judge));
    return pairs * mostCost(this.judge);
  }

  /**
   * Upper bound of the generations that are repeated without the candidates that made questions fail, given
   * those of the first wave. Lists may be repeated twice, since identifying one such candidate can reveal
   * another. If the schedule asks all pairs, the remaining candidates have already met and nothing is
   * repeated.
   */
  private afterOf(first: number): number {
    if (this.judge.mode === "listwise") return 2 * first;
    return this.complete ? 0 : first;
  }

  /**
   * Follow-up questions about a match that depend only on the answers about this match, and their maximum
   * number of generations. null if the judge asks no such questions, or if a budget is spent in the order of
   * matches.
   */
  get alone(): {
    maxGenerations: number;
    next(results: readonly PresentationResult[]): readonly Presentation[];
  } | null {
    const { judge } = this;
    if (!mayAskFurther(judge) || judge.budget !== undefined) return null;
    return { maxGenerations: mostCost(judge), next: (results) => furtherPresentations(results, judge) };
  }

  /** Returns the next questions; empty when the schedule has ended or the budget is spent. */
  next(seen: RunSoFar): readonly Presentation[] {
    const retries = this.budget.retriesFor(this.last, seen.results);
    const paid = retries.length > 0 ? this.budget.pays(retries, seen) : [];
    this.last = paid.length > 0 ? paid : this.planned(seen);
    this.first ||= this.last.reduce((sum, { samples }) => sum + samples, 0);
    return this.last;
  }

  /**
   * Limits the questions that follow the schedule to the budget and to the number that `mostOf` allows for.
   */
  further(presentations: readonly Presentation[], seen: RunSoFar): readonly Presentation[] {
    let left = this.afterOf(this.first) - this.after;
    const few = presentations.filter((presentation) => {
      if (!decides(presentation)) return true;
      left -= presentation.samples;
      return left >= 0;
    });
    this.last = this.budget.paysAside(few, seen);
    this.after += this.last.reduce((sum, presentation) => sum + (decides(presentation) ? presentation.samples : 0), 0);
    return this.last;
  }

  private planned(seen: RunSoFar): readonly Presentation[] {
    const { judge } = this.input;
    const more = mayAskFurther(judge)
      ? this.open.flatMap((match) => furtherPresentations(resultsAbout(match, seen.results), judge))
      : [];
    // The budget covers further questions about open matches before new matches.
    if (more.length > 0) return this.budget.pays(more, seen);
    const wanted = this.finishing ? [] : this.wanted(seen);
    this.ended = wanted.length === 0;
    const asked = this.budget.pays(wanted, seen);
    if (asked.length > 0) return asked;
    if (this.finishing || judge.both_orders !== "when_close") return [];
    this.finishing = true;
    return this.budget.pays(this.neighbours(seen), seen);
  }

  /** The schedule's next questions. Skips a wave if all samples for its pairs have already been asked. */
  private wanted(seen: RunSoFar): Presentation[] {
    for (;;) {
      const wave = this.scheduleRun.next(seen.outcomes);
      this.open = [...new Map(wave.map((match) => [comparedIn({ shown: match }), match])).values()];
      const presentations = this.inOrder(wave).flatMap((match) => this.presentations(match));
      if (wave.length === 0 || presentations.length > 0) return presentations;
    }
  }

  private inOrder(wave: readonly Match[]): readonly Match[] {
    const { judge, seed } = this.input;
    return judge.budget === undefined ? wave : leastAskedFirst(wave, seed, this.order.length);
  }

  private presentations(match: Match): Presentation[] {
    const name = comparedIn({ shown: match });
    const times = this.lists.get(name) ?? 0;
    this.lists.set(name, times + 1);
    return firstPresentations(match, this.input, times);
  }

  /**
   * The schedule's places for the given outcomes, 1 for the best; undefined if the schedule assigns no
   * places.
   */
  places(outcomes: Outcomes): readonly number[] | undefined {
    if (this.kind.hasPlaces !== true) return undefined;
    const replay = this.begin();
    while (replay.next(outcomes).length > 0);
    return replay.places;
  }

  /**
   * Questions that show neighbours in the ranking in the opposite order, if they were asked in only one
   * order.
   */
  private neighbours({ results, outcomes }: RunSoFar): Presentation[] {
    const others = (i: number) => this.order.filter((j) => j !== i);
    const earned = new Map(this.order.map((i) => [i, meanOutcome(outcomes, i, others(i))]));
    const line = [...this.order].sort((a, b) => (earned.get(b) as number) - (earned.get(a) as number));
    return line.slice(1).flatMap((i, k) => {
      const pair = resultsAbout([line[k] as number, i], results);
      return pair.length === 0 ? [] : otherOrder(pair);
    });
  }
}
