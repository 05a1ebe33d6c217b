// The interface of a schedule: chooses in waves which candidates to compare, given the outcomes so far. The
// schedules are listed in table.ts.
import type * as z from "zod";
import type { LimitName } from "../../faults/limit-advice.ts";
import { type Fit, fitted, type Game } from "../../math/bradley-terry.ts";

/**
 * Number of readable verdicts in questions that show one given candidate before another, and the mean outcome
 * for the candidate shown first.
 */
export interface ShownFirst {
  count: number;
  /** In [0, 1]. */
  mean: number;
}

/**
 * Result of comparing candidate i with candidate j: the share of i, in [0, 1] (j has the rest); null if
 * undecided, undefined if the pair was not asked.
 */
export interface Outcomes {
  (i: number, j: number): number | null | undefined;
  /** Outcome of questions that showed i before j; null if none of their answers could be read. */
  inOrder?(i: number, j: number): ShownFirst | null;
}

/** Candidates to compare: a pair, or a longer list. */
export type Match = readonly number[];

export interface ScheduleInput<S = unknown> {
  /**
   * Candidates in a seeded order that depends only on their contents. Schedules have no other source of
   * randomness.
   */
  order: readonly number[];
  settings: S;
  /** Whether outcomes are the verifier's probabilities instead of votes. */
  graded: boolean;
  /** Whether a budget may end the schedule before its last pair. */
  hasBudget: boolean;
  /** Name of the limit on the candidates of one list, which depends on the judge's preset. */
  listLimit: LimitName;
  /** The group's reference, if it takes part as a candidate. */
  reference?: number | undefined;
}

/**
 * Yields waves of matches and receives the outcomes known after each wave. If the schedule `hasPlaces`,
 * returns each candidate's place in [0, 1], 1 for the best. May read only outcomes of pairs that the schedule
 * asked for; a pair yielded twice is asked once.
 */
type Waves = Generator<readonly Match[], readonly number[] | undefined, Outcomes>;

/** A kind of schedule, defined completely by its file and its line in the table. */
export interface Schedule<S = unknown> {
  mode: "pairwise" | "listwise";
  /** Schema of the settings other than `name`; every setting has a default. */
  settings: z.ZodObject;
  /** Whether every pair is asked, in every group. */
  complete: boolean;
  waves(field: ScheduleInput<S>): Waves;
  /** Whether the group's reference takes part; if so, only comparisons with the reference count. */
  needsReference?(settings: S): boolean;
  /** Upper bound of pairs asked for n candidates; omitted if the schedule has only one wave. */
  maxPairs?(n: number, settings: S): number;
  /** True if `waves` returns places, which then determine the ranking instead of mean outcomes. */
  hasPlaces?: true;
  /**
   * Set if the last pairs are finals (finals.ts): at the end, an unbeaten candidate that the leader never met
   * ranks above a leader that lost.
   */
  findsBest?: true;
  /** Whether some candidates have more comparisons than others by design. */
  unequalGames?(settings: S): boolean;
  /**
   * Whether the pairs within a subset of a group are also pairs of the full group, whatever members are
   * added, up to `maxRollouts`. Such pairs can be asked before the group is complete.
   */
  knowsPairs?(settings: S, maxRollouts: number): boolean;
  /** Whether a pair asked in only one order shows its first candidate first; otherwise the seed decides. */
  listsInOrder?(settings: S): boolean;
}

/** Number of pairs among n candidates. */
export const allPairs = (n: number): number => (n * (n - 1)) / 2;

/** Numeric key of a pair, the same in both orders. Groups are smaller than PAIR_FACTOR. */
export const pairNumber = ([i = 0, j = 0]: Match): number => Math.min(i, j) * PAIR_FACTOR + Math.max(i, j);
const PAIR_FACTOR = 1 << 16;

/** Runs a schedule for one group. */
export class ScheduleRun {
  private readonly waves: Waves;
  private readonly asked = new Set<number>();
  private readonly all: boolean;
  private places_: readonly number[] | undefined;

  constructor(schedule: Schedule, field: ScheduleInput) {
    this.waves = schedule.waves(field);
    this.all = schedule.mode === "listwise";
  }

  /** The next wave, without pairs that were asked before; empty when the schedule has ended. */
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
   * Each candidate's place in [0, 1], 1 for the best; undefined if the schedule assigns no places or has not
   * ended.
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

/** Mean outcome of a candidate against the given opponents; 0 if all pairs are undecided. */
export function meanOutcome(outcomes: Outcomes, i: number, opponents: readonly number[]): number {
  const known = opponents.flatMap((j) => outcomes(i, j) ?? []);
  return known.length === 0 ? 0 : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Lambda of the prior on strengths: shrinks estimates based on few games. */
export const STRENGTH_PRIOR = 0.5;
/** Weight of a graded outcome, in games: log odds carry more information than a binary vote. */
const GRADED_WEIGHT = 10;
const weightOf = (graded: boolean) => (graded ? GRADED_WEIGHT : 1);

/** Strengths of n candidates, estimated from the decided pairs. */
export function strengthsOf(n: number, pairs: readonly Match[], outcomes: Outcomes, graded: boolean): Fit {
  const games = pairs.flatMap((pair) => gameOf(pair, outcomes) ?? []);
  return fitted(n, games, STRENGTH_PRIOR, weightOf(graded));
}

/**
 * Outcome of a pair, listing the candidate with the larger share first. The two shares add up to 1 only up to
 * rounding, and the result must not depend on the numbering of the candidates.
 */
function gameOf([i = 0, j = 0]: Match, outcomes: Outcomes): Game | null {
  const [earned, other] = [outcomes(i, j) ?? null, outcomes(j, i) ?? null];
  if (earned === null || other === null) return null;
  return earned >= other ? { i, j, score: earned } : { i: j, j: i, score: other };
}
