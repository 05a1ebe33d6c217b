// Defines what a schedule is: which candidates it compares, in waves, given the outcomes so far. The
// schedules: table.ts.
import type * as z from "zod";
import { type Fit, fitted, type Game } from "../../math/bradley-terry.ts";

/** Readable verdicts that showed one before another, and what they gave that one on average. */
export interface ShownFirst {
  count: number;
  /** In [0, 1]. */
  mean: number;
}

/**
 * The results of comparing candidate i with candidate j: the share of i, in [0, 1], and j the rest; null when
 * undecided, undefined when it was not asked.
 */
export interface Outcomes {
  (i: number, j: number): number | null | undefined;
  /** The outcome of questions that showed i before j; null where none of these could be read. */
  inOrder?(i: number, j: number): ShownFirst | null;
}

/** Candidates to compare: two, or a list of more. */
export type Match = readonly number[];

export interface ScheduleInput<S = unknown> {
  /** The candidates in a seeded order that depends on their content only; the only chance there is. */
  order: readonly number[];
  settings: S;
  /** Outcomes are the verifier's own probabilities, not votes. */
  graded: boolean;
  /** Whether a budget may end the schedule before its last pair. */
  hasBudget: boolean;
  /** The candidate that is the group's reference, where one takes part. */
  reference?: number | undefined;
}

/**
 * Yields wave after wave and is given what is known then; returns each candidate's place in [0, 1],
 * 1 the best, where the schedule `hasPlaces`. It may look only at pairs that it has asked for, and may
 * ask for a pair again: it is not asked twice.
 */
type Waves = Generator<readonly Match[], readonly number[] | undefined, Outcomes>;

/** A kind of schedule: its one file and its line in the table are all there is of it. */
export interface Schedule<S = unknown> {
  mode: "pairwise" | "listwise";
  /** Its settings beside its name, every one with a default. */
  settings: z.ZodObject;
  /** Whether it leaves no pair of a group unasked, whatever the group. */
  complete: boolean;
  waves(field: ScheduleInput<S>): Waves;
  /** Whether the group's reference takes part, and only comparisons with it count. */
  needsReference?(settings: S): boolean;
  /** Pairs of n candidates that it comes to ask at most; absent: its first wave is all there is. */
  maxPairs?(n: number, settings: S): number;
  /** Whether `waves` returns places, which decide the order in place of mean outcomes. */
  hasPlaces?: true;
  /**
   * Its last pairs are finals (finals.ts): at its end an unbeaten candidate that the leader never met
   * comes before a leader that lost.
   */
  findsBest?: true;
  /** Whether some candidates are asked about more often than others, by design. */
  unequalGames?(settings: S): boolean;
  /**
   * Whether each pair of some of a group's candidates is among those of all of them, whoever else comes, as
   * long as there are at most `most`: such pairs may be asked before all are there.
   */
  knowsPairs?(settings: S, maxRollouts: number): boolean;
  /** Whether a pair asked in one order shows first whom it names first; else the seed says. */
  listsInOrder?(settings: S): boolean;
}

/** Pairs of n candidates. */
export const allPairs = (n: number): number => (n * (n - 1)) / 2;

/** A pair's number, the same in both orders; groups are smaller than the factor. */
export const pairNumber = ([i = 0, j = 0]: Match): number => Math.min(i, j) * PAIR_FACTOR + Math.max(i, j);
const PAIR_FACTOR = 1 << 16;

/** A schedule at work on one group. */
export class ScheduleRun {
  private readonly waves: Waves;
  private readonly asked = new Set<number>();
  private readonly all: boolean;
  private places_: readonly number[] | undefined;

  constructor(schedule: Schedule, field: ScheduleInput) {
    this.waves = schedule.waves(field);
    this.all = schedule.mode === "listwise";
  }

  /** The next wave: no pair that was asked before; none when the schedule is at its end. */
  next(outcomes: Outcomes): readonly Match[] {
    for (;;) {
      const { value, done } = this.waves.next(outcomes);
      if (done === true) {
        this.places_ = value;
        return [];
      }
      const fresh = this.all ? value : value.filter((match) => this.isNew(match));
      if (fresh.length > 0) return fresh;
    }
  }

  /**
   * Each candidate's place in [0, 1], 1 the best; undefined where the schedule has none, or not
   * yet.
   */
  get places(): readonly number[] | undefined {
    return this.places_;
  }

  private isNew(match: Match): boolean {
    const pair = pairNumber(match);
    const fresh = !this.asked.has(pair) && match[0] !== match[1];
    this.asked.add(pair);
    return fresh;
  }
}

/** A candidate's mean outcome against those that it was compared with; 0 where all are undecided. */
export function meanOutcome(outcomes: Outcomes, i: number, opponents: readonly number[]): number {
  const known = opponents.flatMap((j) => outcomes(i, j) ?? []);
  return known.length === 0 ? 0 : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Lambda of the prior on strengths: some shrinkage, for few games. */
export const STRENGTH_PRIOR = 0.5;
/** A graded outcome gives log-odds, not the toss of a coin: it counts as this many games. */
const GRADED_WEIGHT = 10;
const weightOf = (graded: boolean) => (graded ? GRADED_WEIGHT : 1);

/** Strengths of n candidates from the pairs of which something was decided. */
export function strengthsOf(n: number, pairs: readonly Match[], outcomes: Outcomes, graded: boolean): Fit {
  const games = pairs.flatMap((pair) => gameOf(pair, outcomes) ?? []);
  return fitted(n, games, STRENGTH_PRIOR, weightOf(graded));
}

/**
 * A pair's outcome, of the one who earned more: what the other earned is the rest up to rounding
 * only, and who of the two has the lower number must not matter.
 */
function gameOf([i = 0, j = 0]: Match, outcomes: Outcomes): Game | null {
  const [earned, other] = [outcomes(i, j) ?? null, outcomes(j, i) ?? null];
  if (earned === null || other === null) return null;
  return earned >= other ? { i, j, score: earned } : { i: j, j: i, score: other };
}
