// Owns one group's comparisons from the first to the last: a schedule's waves, how each pair is
// asked, and the budget. Pure: the same answers, the same questions.
import type { ContentKey } from "../candidate/classes.ts";
import { compareKeys } from "../candidate/classes.ts";
import type { NamedSchedule, Spec } from "../contract/spec.ts";
import { comparedIn, type Showing } from "../judges/questions.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import type { Answered } from "./answered.ts";
import {
  againShowings,
  askingMore,
  firstCost,
  firstShowings,
  furtherShowings,
  isGraded,
  mayAskFurther,
  mostAgain,
  mostCost,
  otherOrder,
  repeatsOf,
  samplesOf,
  type Wording,
} from "./asking-pairs.ts";
import { assertPays, generationsOf, paidFor } from "./budget.ts";
import { chosenOf, scheduleOf } from "./named-schedule.ts";
import { type Match, meanOutcome, type Outcomes, Pairing, pairNumber } from "./schedule.ts";
import { askingsOf, worstOf } from "./thinking.ts";

export interface ContestInput {
  /** One a candidate. */
  keys: readonly ContentKey[];
  judge: Spec["judge"];
  seed: number;
  /** Rollouts that share each candidate; default one each. */
  sizes?: readonly number[];
  /** The candidate that is the group's reference. */
  reference?: number;
}

/** What was asked so far, and the tokens that it took; worked out where it is read. */
export interface Seen {
  readonly answered: readonly Answered[];
  readonly outcomes: Outcomes;
  readonly tokens: number;
}

export const NOTHING_SEEN: Seen = { answered: [], outcomes: () => undefined, tokens: 0 };

export class Contest {
  /** The schedule with its settings; what `auto` chose. */
  readonly schedule: NamedSchedule;
  /** As pairs are asked: the spec's own judge, or with what `auto` adds. */
  readonly judge: Spec["judge"];
  /** Whether every pair is to be asked. */
  readonly complete: boolean;
  /** Whether pairs are asked again by need: strengths are then by what each order gave. */
  readonly repeats: boolean;
  /** Whether a candidate's points are its wins. */
  readonly byWins: boolean;
  /** Generations that the schedule wanted and the budget did not pay. */
  unpaid = 0;
  private readonly input: ContestInput & Pick<Wording, "listsInOrder">;
  private readonly order: readonly number[];
  private readonly generations: number;
  private readonly mostPairs: number | null;
  private readonly endsOf: "early_stop" | "sure" | null;
  /** See Schedule.obsolete; null where the schedule has none such. */
  private readonly idle: ((outcomes: Outcomes) => (match: Match) => boolean) | null;
  private readonly begin: () => Pairing;
  private readonly pairing: Pairing;
  private open: readonly Match[] = [];
  private spent = 0;
  private finishing = false;
  /** The schedule itself wants no more. */
  ended = false;

  constructor(input: ContestInput) {
    const { keys, judge, seed, sizes = keys.map(() => 1) } = input;
    const players = keys.map((_, i) => i);
    this.order = seededOrder(players, keys, seed);
    this.generations = generationsOf(judge, this.order.length);
    if (judge.mode === "pairwise") assertPays(judge, this.order.length, this.generations);
    const pairs = paidFor(judge, this.generations) / firstCost(judge);
    const repeats = repeatsOf(judge);
    const field = { order: this.order, graded: isGraded(judge), pairs, repeats, sizes, reference: input.reference };
    const { schedule: named, times = 1 } = chosenOf(judge.schedule, field);
    this.schedule = named;
    this.judge = askingMore(judge, times);
    const { schedule, settings } = scheduleOf(named);
    this.repeats = schedule.repeats?.(settings) === true;
    this.input = { ...input, judge: this.judge, listsInOrder: schedule.listsInOrder?.(settings) === true };
    this.complete = schedule.complete && judge.budget === undefined;
    this.byWins = schedule.byWins === true;
    this.mostPairs = schedule.most?.(this.order.length, settings) ?? null;
    this.endsOf = schedule.endsOf ?? null;
    this.idle = schedule.obsolete?.bind(schedule, { ...field, settings }) ?? null;
    this.begin = () => new Pairing(schedule, { ...field, settings });
    this.pairing = this.begin();
  }

  /** Whether what is asked may hang on answers, so that there may be more than one wave. */
  get adaptive(): boolean {
    const { confidence } = samplesOf(this.judge);
    const further = confidence !== null || this.judge.both_orders === "when_close" || this.judge.think !== undefined;
    return this.mostPairs !== null || further;
  }

  /** Generations at most over all waves, given those of the first. */
  mostOf(first: number): number {
    if (!this.adaptive) return first;
    const pairs = this.mostPairs ?? Math.ceil(first / firstCost(this.judge));
    const each = this.repeats ? this.mostOfPair : mostCost(this.judge);
    return Math.min(pairs * each, this.generations);
  }

  /**
   * Generations of the schedule's pairs that were never wanted, and why; of one that may end early.
   */
  unwanted(answered: readonly Showing[]): { early_stop: number; sure: number } {
    const none = { early_stop: 0, sure: 0 };
    if (this.endsOf === null || !this.ended || this.unpaid > 0) return none;
    const pairs = new Set(answered.map(comparedIn));
    return { ...none, [this.endsOf]: ((this.mostPairs ?? 0) - pairs.size) * firstCost(this.judge) };
  }

  /**
   * What is asked about one match by its own answers alone, and generations that it comes to at
   * most; null where there is nothing such and no match to give up, or a budget that is spent in the
   * matches' order.
   */
  get alone(): { most: number; next(answered: readonly Answered[]): readonly Showing[] } | null {
    const { judge } = this;
    const further = mayAskFurther(judge);
    if (further ? judge.budget !== undefined : this.obsolete === null) return null;
    return { most: mostCost(judge), next: (answered) => furtherShowings(answered, judge) };
  }

  /**
   * Which matches no outcome can matter of any more, by what is known for good; null where each may.
   * The other order of a close pair may turn what was known, and a budget of tokens hangs on what
   * was generated: where there is either, all that is asked counts.
   */
  get obsolete(): ((seen: Seen) => (match: Match) => boolean) | null {
    const { judge, idle } = this;
    if (idle === null || judge.both_orders === "when_close" || judge.budget?.tokens !== undefined) return null;
    if (!mayAskFurther(judge)) return ({ outcomes }) => idle(outcomes);
    return ({ answered, outcomes }) => {
      const byMatch = Map.groupBy(answered, ({ showing: { shown } }) => pairNumber(shown));
      // What is to be sampled further may still turn.
      const open = new Set(
        [...byMatch].flatMap(([pair, all]) => (furtherShowings(all, judge).length > 0 ? [pair] : [])),
      );
      return idle((i, j) => (open.has(pairNumber([i, j])) ? undefined : outcomes(i, j)));
    };
  }

  /** The next questions; none when all is asked that the schedule wants and the budget pays. */
  next(seen: Seen): readonly Showing[] {
    const { judge } = this.input;
    const more = mayAskFurther(judge)
      ? this.open.flatMap((match) => furtherShowings(of(match, seen.answered), judge))
      : [];
    // The budget has been held back for what has no verdict: it is paid before anything else.
    if (more.length > 0) return this.paid([...more].sort(longerFirst), seen);
    const wanted = this.finishing ? [] : this.wanted(seen);
    this.ended = wanted.length === 0;
    const asked = this.paid(wanted, seen);
    if (asked.length > 0) return asked;
    if (this.finishing || judge.both_orders !== "when_close") return [];
    this.finishing = true;
    const others = this.paid(this.neighbours(seen), seen);
    if (judge.think !== undefined) this.open = [...new Map(others.map(({ shown }) => [shown.join(), shown])).values()];
    return others;
  }

  /** Generations that one pair comes to at most where it is asked again. */
  private get mostOfPair(): number {
    const { judge } = this;
    return 2 * (isGraded(judge) ? samplesOf(judge).max : mostAgain(judge)) * askingsOf(judge);
  }

  /** The schedule's next questions; a wave of pairs that have all their samples is passed over. */
  private wanted(seen: Seen): Showing[] {
    for (;;) {
      const wave = this.pairing.next(seen.outcomes);
      this.open = wave;
      const showings = this.spread(wave).flatMap((match) => this.showings(match, seen));
      if (wave.length === 0 || showings.length > 0) return showings;
    }
  }

  private showings(match: Match, { answered }: Seen): Showing[] {
    const before = this.repeats ? of(match, answered) : [];
    return before.length > 0 ? againShowings(before, this.judge) : firstShowings(match, this.input);
  }

  /** The schedule's own places, 1 the best, for these outcomes; undefined where it has none. */
  places(outcomes: Outcomes): readonly number[] | undefined {
    // What ends when it is sure has no places: they need not be looked for.
    if (this.complete || this.endsOf !== null) return undefined;
    const again = this.begin();
    while (again.next(outcomes).length > 0);
    return again.places;
  }

  /** The order's neighbours that met in one order are shown in the other too. */
  private neighbours({ answered, outcomes }: Seen): Showing[] {
    const earned = new Map(
      this.order.map((i) => [
        i,
        meanOutcome(
          outcomes,
          i,
          this.order.filter((j) => j !== i),
        ),
      ]),
    );
    const line = [...this.order].sort((a, b) => (earned.get(b) as number) - (earned.get(a) as number));
    return line.slice(1).flatMap((i, k) => {
      const pair = of([line[k] as number, i], answered);
      return pair.length === 0 ? [] : otherOrder(pair);
    });
  }

  /** What of it the budget pays, in its order. */
  private paid(showings: readonly Showing[], seen: Seen): readonly Showing[] {
    const { judge } = this.input;
    const { budget } = judge;
    if (budget === undefined) return showings;
    const most = this.generations;
    let generations = this.spent;
    let tokens = budget.tokens === undefined ? 0 : seen.tokens;
    const afford = (showing: Showing) => {
      const worst = worstOf(showing, judge);
      if (generations + worst.generations > most) return false;
      if (budget.tokens !== undefined && tokens + worst.tokens > budget.tokens) return false;
      this.spent += showing.samples;
      generations += worst.generations;
      tokens += worst.tokens;
      return true;
    };
    return showings.filter((showing) => {
      const paid = afford(showing);
      if (!paid) this.unpaid += showing.samples;
      return paid;
    });
  }

  /**
   * Where the budget may end within a wave: those first who were asked least, so that nobody is
   * left out.
   */
  private spread(wave: readonly Match[]): readonly Match[] {
    if (this.input.judge.budget === undefined) return wave;
    const times = new Map<number, number>();
    const left = shuffled(wave, createRandom(hashText("spread", this.input.seed, this.order.length)));
    const line: Match[] = [];
    while (left.length > 0) {
      const cost = (match: Match) => match.reduce((sum, i) => sum + (times.get(i) ?? 0), 0);
      const next = left.reduce((a, b) => (cost(b) < cost(a) ? b : a));
      left.splice(left.indexOf(next), 1);
      for (const i of next) times.set(i, (times.get(i) ?? 0) + 1);
      line.push(next);
    }
    return line;
  }
}

/** The candidates in an order that hangs on the seed and their contents only. */
function seededOrder(players: readonly number[], keys: readonly ContentKey[], seed: number): number[] {
  const key = (i: number) => keys[i] as ContentKey;
  const byContent = [...players].sort((i, j) => compareKeys(key(i), key(j)));
  return shuffled(byContent, createRandom(hashText("schedule", seed, ...byContent.flatMap((i) => [...key(i)]))));
}

const longerFirst = (a: Showing, b: Showing): number => Number(b.longer ?? false) - Number(a.longer ?? false);

const of = (match: Match, answered: readonly Answered[]): Answered[] =>
  answered.filter(({ showing: { shown } }) => shown.length === match.length && match.every((i) => shown.includes(i)));
