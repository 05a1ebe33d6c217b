// Owns one group's comparisons from the first to the last: a schedule's waves, how each pair is
// asked, and the budget. Pure: the same answers, the same questions.
import type { ContentKey } from "../candidate/classes.ts";
import { compareKeys } from "../candidate/classes.ts";
import type { NamedSchedule, Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import type { Showing } from "../judges/questions.ts";
import { createRandom, hashText, shuffled } from "../math/random.ts";
import { type Answered, firstCost, firstShowings, furtherShowings, isGraded, otherOrder } from "./asking-pairs.ts";
import { chosenOf, scheduleOf } from "./named-schedule.ts";
import { type Field, type Match, meanOutcome, type Outcomes, Pairing } from "./schedule.ts";

export interface ContestInput {
  /** One a candidate. */
  keys: readonly ContentKey[];
  judge: Spec["judge"];
  seed: number;
}

/** What was asked so far, and the tokens that it took. */
export interface Seen {
  answered: readonly Answered[];
  outcomes: Outcomes;
  tokens: number;
}

export const NOTHING_SEEN: Seen = { answered: [], outcomes: () => undefined, tokens: 0 };

export class Contest {
  /** The schedule with its settings; what `auto` chose. */
  readonly schedule: NamedSchedule;
  /** Whether every pair is to be asked. */
  readonly complete: boolean;
  /** Generations that the schedule wanted and the budget did not pay. */
  unpaid = 0;
  private readonly input: ContestInput;
  private readonly order: readonly number[];
  private readonly begin: () => Pairing;
  private readonly pairing: Pairing;
  private open: readonly Match[] = [];
  private spent = 0;
  private finishing = false;

  constructor(input: ContestInput) {
    const { keys, judge, seed } = input;
    this.input = input;
    const players = keys.map((_, i) => i);
    this.order = seededOrder(players, keys, seed);
    const generations = generationsOf(judge, this.order.length);
    const graded = isGraded(judge);
    const pairs = generations / firstCost(judge);
    const field: Field = {
      order: this.order,
      graded,
      pairs,
      settings: {},
    };
    this.schedule = chosenOf(judge.schedule, field);
    const { schedule, settings } = scheduleOf(this.schedule);
    if (judge.mode === "pairwise") assertPays(judge, this.order.length, generations);
    this.complete = schedule.complete && judge.budget === undefined;
    this.begin = () => new Pairing(schedule, { ...field, settings });
    this.pairing = this.begin();
  }

  /** The next questions; none when all is asked that the schedule wants and the budget pays. */
  next(seen: Seen): readonly Showing[] {
    const { judge } = this.input;
    const more = this.open.flatMap((match) => furtherShowings(of(match, seen.answered), judge));
    if (more.length > 0) return this.paid(more, seen);
    const wave = this.finishing ? [] : this.pairing.next(seen.outcomes);
    this.open = wave;
    if (wave.length > 0) {
      const asked = this.paid(
        this.spread(wave).flatMap((match) => firstShowings(match, this.input)),
        seen,
      );
      if (asked.length > 0) return asked;
    }
    if (this.finishing || judge.both_orders !== "when_close") return [];
    this.finishing = true;
    return this.paid(this.neighbours(seen), seen);
  }

  /** The schedule's own places, 1 the best, for these outcomes; undefined where it has none. */
  places(outcomes: Outcomes): readonly number[] | undefined {
    if (this.complete) return undefined;
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
  private paid(showings: readonly Showing[], { tokens }: Seen): Showing[] {
    const { judge } = this.input;
    const { budget } = judge;
    const most = generationsOf(judge, this.order.length);
    let worst = tokens;
    const afford = ({ samples }: Showing) => {
      if (this.spent + samples > most) return false;
      if (budget?.tokens !== undefined && worst + samples * judge.max_tokens > budget.tokens) return false;
      this.spent += samples;
      worst += samples * judge.max_tokens;
      return true;
    };
    return showings.filter((showing) => {
      const paid = afford(showing);
      if (!paid) this.unpaid += showing.samples;
      return paid;
    });
  }

  /** Where the budget may end within a wave: those first who were asked least, so that nobody is left out. */
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

/**
 * Generations that the budget pays for a group of n. A ratio is of all pairs as the judge asks each
 * at first, and pays at least n - 1 pairs: with fewer some would go without.
 */
function generationsOf(judge: Spec["judge"], n: number): number {
  const { generations, ratio } = judge.budget ?? {};
  const pairs = (count: number) => count * firstCost(judge);
  if (ratio !== undefined) return Math.max(Math.floor(ratio * pairs((n * (n - 1)) / 2)), pairs(n - 1));
  return generations ?? Number.POSITIVE_INFINITY;
}

/** @throws ApiError where the budget does not pay one pair for everyone, n - 1 in all */
function assertPays(judge: Spec["judge"], n: number, generations: number): void {
  const least = Math.max(0, n - 1) * firstCost(judge);
  const { tokens } = judge.budget ?? {};
  const paid = Math.min(generations, tokens === undefined ? generations : Math.floor(tokens / judge.max_tokens));
  if (paid >= least) return;
  const most = tokens === undefined ? "" : ` of at most max_tokens = ${judge.max_tokens} tokens each`;
  throw new ApiError(
    "invalid_request",
    `judge.budget pays ${paid} generations${most}; comparing ${n} different candidates takes at least ${least}. Raise it, or use smaller groups.`,
  );
}

const of = (match: Match, answered: readonly Answered[]): Answered[] =>
  answered.filter(({ showing: { shown } }) => shown.length === match.length && match.every((i) => shown.includes(i)));
