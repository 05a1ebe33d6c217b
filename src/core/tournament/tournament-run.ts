// Owns one group's comparisons from the first to the last: a schedule's waves, how each pair is
// asked, and the budget. Pure: the same answers, the same questions.

import { comparedIn, isAside, type Presentation } from "../asking/questions.ts";
import type { ContentKey } from "../candidate/classes.ts";
import type { NamedSchedule, Spec } from "../contract/spec.ts";
import { Budget, mostWithAgain, paidFor } from "./budget.ts";
import { leastAskedFirst, seededOrder } from "./match-order.ts";
import { chosenOf, scheduleOf } from "./named-schedule.ts";
import {
  askingMore,
  firstCost,
  firstPresentations,
  furtherPresentations,
  isGraded,
  mayAskFurther,
  mostAgain,
  mostCost,
  otherOrder,
  ownCost,
  repeatPresentations,
  repeatsOf,
  resampled,
  samplesOf,
  type Wording,
} from "./pair-questions.ts";
import { NOTHING_SEEN, type PresentationResult, type RunSoFar, resultsAbout } from "./presentation-results.ts";
import {
  type Match,
  meanOutcome,
  type Outcomes,
  type Schedule,
  type ScheduleInput,
  ScheduleRun,
} from "./schedules/schedule.ts";

interface TournamentRunInput {
  /** One a candidate. */
  keys: readonly ContentKey[];
  judge: Spec["judge"];
  seed: number;
  /** Rollouts that share each candidate; default one each. */
  sizes?: readonly number[];
  /** The candidate that is the group's reference. */
  reference?: number;
}

export class TournamentRun {
  /** The schedule with its settings; what `auto` chose. */
  readonly schedule: NamedSchedule;
  /** As pairs are asked: the spec's own judge, or with what `auto` adds. */
  readonly judge: Spec["judge"];
  readonly kind: Schedule;
  /** Whether every pair is to be asked. */
  readonly complete: boolean;
  /** Whether pairs are asked again by need: strengths are then by what each order gave. */
  readonly repeats: boolean;
  private readonly input: TournamentRunInput & Pick<Wording, "listsInOrder">;
  private readonly order: readonly number[];
  private readonly budget: Budget;
  private readonly mostPairs: number | null;
  private readonly field: ScheduleInput;
  private readonly scheduleRun: ScheduleRun;
  private open: readonly Match[] = [];
  /** How often the schedule asked for a list of the same candidates, by them. */
  private readonly lists = new Map<string, number>();
  /** What was asked last. */
  private last: readonly Presentation[] = [];
  /** What was seen then. */
  private seen: RunSoFar = NOTHING_SEEN;
  /** Generations of the first wave. */
  private first = 0;
  /** Generations asked after the schedule without those at fault. */
  private after = 0;
  private finishing = false;
  /** What was asked last belongs to what is asked already: it goes before any new pair. */
  private belated = false;
  /** The schedule itself wants no more. */
  ended = false;

  constructor(input: TournamentRunInput) {
    const { keys, judge, seed, sizes = keys.map(() => 1) } = input;
    const players = keys.map((_, i) => i);
    this.order = seededOrder(players, keys, seed);
    this.budget = new Budget(judge, this.order.length);
    const pairs = paidFor(judge, this.budget.generations) / firstCost(judge);
    const repeats = repeatsOf(judge);
    const field = { order: this.order, graded: isGraded(judge), pairs, repeats, sizes, reference: input.reference };
    const { schedule: named, times = 1 } = chosenOf(judge.schedule, field);
    this.schedule = named;
    this.judge = askingMore(judge, times);
    const { schedule, settings } = scheduleOf(named);
    this.repeats = schedule.repeats?.(settings) === true;
    this.input = { ...input, judge: this.judge, listsInOrder: schedule.listsInOrder?.(settings) === true };
    this.complete = schedule.complete && judge.budget === undefined;
    this.kind = schedule;
    this.mostPairs = schedule.most?.(this.order.length, settings) ?? null;
    this.field = { ...field, settings };
    this.scheduleRun = this.begin();
  }

  private begin(): ScheduleRun {
    return new ScheduleRun(this.kind, this.field);
  }

  /** Whether what is asked may hang on answers, so that there may be more than one wave. */
  get adaptive(): boolean {
    const { confidence } = samplesOf(this.judge);
    const { both_orders, first } = this.judge;
    const further = confidence !== null || both_orders === "when_close" || first !== undefined;
    return this.mostPairs !== null || further;
  }

  /** Generations that the schedule and the budget wanted and the latter did not pay. */
  get unpaid(): number {
    return this.budget.unpaid;
  }

  /** Whether it asks again by itself what could not be read: out of a budget. */
  get asksAgain(): boolean {
    return this.budget.asksAgain;
  }

  /**
   * Generations at most, given those of the first wave: over all waves, with what is asked again
   * for want of a verdict and to learn whose doing that is.
   */
  mostOf(first: number): number {
    const all = mostWithAgain(this.judge, this.order.length, this.mostOfWaves(first), this.afterOf(first));
    return Math.min(all + this.mostAskedFirst(first), this.budget.generations);
  }

  /** Of these, those of a judge that is asked first: nothing of it is asked again. */
  mostAskedFirst(first: number): number {
    return this.judge.first === undefined ? 0 : this.pairsOf(first) * firstCost(this.judge);
  }

  /** What its first wave may bring the judge proper, where another is asked first. */
  mostBroughtBy(wave: readonly Presentation[]): number {
    if (this.judge.first === undefined) return 0;
    return new Set(wave.map(comparedIn)).size * mostCost(this.judge);
  }

  private mostOfWaves(first: number): number {
    if (!this.adaptive) return first;
    return this.pairsOf(first) * (this.repeats ? this.mostOfPair : mostCost(this.judge));
  }

  /** Pairs at most, given the generations of the first wave. */
  private pairsOf(first: number): number {
    return this.mostPairs ?? this.pairsIn(first);
  }

  private pairsIn(first: number): number {
    return Math.ceil(first / firstCost(this.judge));
  }

  /**
   * Generations asked at most without those at fault, given those of the first wave: lists twice,
   * as one who is known shows another. All pairs tell of those left whoever is at fault.
   */
  private afterOf(first: number): number {
    if (this.judge.mode === "listwise") return 2 * first;
    const own = this.judge.first === undefined ? first : this.pairsIn(first) * ownCost(this.judge);
    return this.complete ? 0 : own;
  }

  /**
   * Generations of the schedule's pairs that were never wanted, and why; of one that may end early.
   */
  unwanted(results: readonly Presentation[]): { early_stop: number; sure: number } {
    const none = { early_stop: 0, sure: 0 };
    const { endsOf } = this.kind;
    if (endsOf === undefined || !this.ended || this.unpaid > 0) return none;
    const pairs = new Set(results.map(comparedIn));
    return { ...none, [endsOf]: ((this.mostPairs ?? 0) - pairs.size) * firstCost(this.judge) };
  }

  /**
   * What is asked about one match by its own answers alone, and generations that it comes to at
   * most; null where there is nothing such, or a budget that is spent in the matches' order.
   */
  get alone(): { most: number; next(results: readonly PresentationResult[]): readonly Presentation[] } | null {
    const { judge } = this;
    if (!mayAskFurther(judge) || judge.budget !== undefined) return null;
    const before = judge.first === undefined ? 0 : firstCost(judge);
    return { most: before + mostCost(judge), next: (results) => furtherPresentations(results, judge) };
  }

  /** The next questions; none when all is asked that the schedule wants and the budget pays. */
  next(seen: RunSoFar): readonly Presentation[] {
    this.seen = seen;
    const again = this.budget.again(this.last, seen.results);
    const paid = again.length > 0 ? this.budget.pays(again, seen) : [];
    this.belated = paid.length > 0;
    this.last = paid.length > 0 ? paid : this.planned(seen);
    this.first ||= this.last.reduce((sum, { samples }) => sum + samples, 0);
    return this.last;
  }

  /**
   * What the questions asked last are expected to tell of the order: the schedule's worth of their
   * pairs, infinite of those that others already asked wait for. 0 of a schedule that has none.
   */
  get worthOfLast(): number {
    if (this.belated) return Number.POSITIVE_INFINITY;
    const { results, outcomes } = this.seen;
    const shown = results.map(({ presentation }) => [comparedIn(presentation), presentation.shown] as const);
    const worth = this.kind.worth?.(this.field, [...new Map(shown).values()], outcomes) ?? (() => 0);
    return this.last.reduce((sum, presentation) => sum + worth(presentation.shown), 0);
  }

  /** What of questions after the schedule is asked: within the budget, and what `mostOf` counts. */
  further(presentations: readonly Presentation[], seen: RunSoFar): readonly Presentation[] {
    let left = this.afterOf(this.first) - this.after;
    const few = presentations.filter((presentation) => {
      if (isAside(presentation)) return true;
      left -= presentation.samples;
      return left >= 0;
    });
    this.belated = true;
    this.last = this.budget.paysAside(few, seen);
    this.after += this.last.reduce((sum, presentation) => sum + (isAside(presentation) ? 0 : presentation.samples), 0);
    return this.last;
  }

  private planned(seen: RunSoFar): readonly Presentation[] {
    const { judge } = this.input;
    const more = mayAskFurther(judge)
      ? this.open.flatMap((match) => furtherPresentations(resultsAbout(match, seen.results), judge))
      : [];
    // The budget has been held back for what has no verdict: it is paid before anything else.
    if (more.length > 0) {
      this.belated = true;
      return this.budget.pays(more, seen);
    }
    const wanted = this.finishing ? [] : this.wanted(seen);
    this.ended = wanted.length === 0;
    const asked = this.budget.pays(wanted, seen);
    if (asked.length > 0) return asked;
    if (this.finishing || judge.both_orders !== "when_close") return [];
    this.finishing = true;
    return this.budget.pays(this.neighbours(seen), seen);
  }

  /** Generations that one pair comes to at most where it is asked again. */
  private get mostOfPair(): number {
    const { judge } = this;
    return 2 * (resampled(judge) ? mostAgain(judge) : samplesOf(judge).max);
  }

  /** The schedule's next questions; a wave of pairs that have all their samples is passed over. */
  private wanted(seen: RunSoFar): Presentation[] {
    for (;;) {
      const wave = this.scheduleRun.next(seen.outcomes);
      this.open = [...new Map(wave.map((match) => [comparedIn({ shown: match }), match])).values()];
      const presentations = this.inOrder(wave).flatMap((match) => this.presentations(match, seen));
      if (wave.length === 0 || presentations.length > 0) return presentations;
    }
  }

  private inOrder(wave: readonly Match[]): readonly Match[] {
    const { judge, seed } = this.input;
    return judge.budget === undefined ? wave : leastAskedFirst(wave, seed, this.order.length);
  }

  private presentations(match: Match, { results }: RunSoFar): Presentation[] {
    const before = this.repeats ? resultsAbout(match, results) : [];
    if (before.length > 0) return repeatPresentations(before, this.judge);
    const name = comparedIn({ shown: match });
    const times = this.lists.get(name) ?? 0;
    this.lists.set(name, times + 1);
    return firstPresentations(match, this.input, times);
  }

  /** The schedule's own places, 1 the best, for these outcomes; undefined where it has none. */
  places(outcomes: Outcomes): readonly number[] | undefined {
    // What ends when it is sure has no places: they need not be looked for.
    if (this.complete || this.kind.endsOf !== undefined) return undefined;
    const again = this.begin();
    while (again.next(outcomes).length > 0);
    return again.places;
  }

  /** The order's neighbours that met in one order are shown in the other too. */
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
