// Owns what a schedule is: which candidates it compares, in waves, given the outcomes so far. The
// schedules: schedules/. Knows no verifier, no orders of showing and no samples.
import type * as z from "zod";
import type { NamedSchedule } from "../contract/spec.ts";
import { type Fit, fitted, type Game } from "../math/bradley-terry.ts";

/**
 * What came of comparing candidate i with candidate j: what i earned of it, in [0, 1] and j the
 * rest; null when nothing was decided, undefined when it was not asked.
 */
export type Outcomes = (i: number, j: number) => number | null | undefined;

/** Candidates to compare: two, or a list of more. */
export type Match = readonly number[];

export interface Field<S = unknown> {
  /** The candidates in a seeded order that hangs on their content only; what chance there is. */
  order: readonly number[];
  settings: S;
  /** Outcomes are the verifier's own probabilities, not votes. */
  graded: boolean;
  /** Pairs that the budget pays. */
  pairs: number;
}

/**
 * Yields wave after wave and is given what is known then; returns each candidate's place in [0, 1],
 * 1 the best, where the schedule has an order of its own. It may look only at pairs that it has
 * asked for, and may ask for a pair again: it is not asked twice.
 */
export type Waves = Generator<readonly Match[], readonly number[] | undefined, Outcomes>;

/** A kind of schedule: its one file and its line in the table are all there is of it. */
export interface Schedule<S = unknown> {
  mode: "pairwise" | "listwise";
  /** Its settings beside its name, every one with a default. */
  settings: z.ZodObject;
  /** Whether it leaves no pair of a group unasked, whatever the group. */
  complete: boolean;
  waves(field: Field<S>): Waves;
  /** Of one that stands for others: which. */
  choose?(field: Field): NamedSchedule;
}

const nameOf = (match: Match): string => [...match].sort((a, b) => a - b).join();

/** A schedule at work on one group. */
export class Pairing {
  private readonly waves: Waves;
  private readonly asked = new Set<string>();
  private readonly lists: boolean;
  private places_: readonly number[] | undefined;

  constructor(schedule: Schedule, field: Field) {
    this.waves = schedule.waves(field);
    this.lists = schedule.mode === "listwise";
  }

  /** The next wave: no pair that was asked before; none when the schedule is at its end. */
  next(outcomes: Outcomes): readonly Match[] {
    for (;;) {
      const { value, done } = this.waves.next(outcomes);
      if (done === true) {
        this.places_ = value;
        return [];
      }
      const fresh = this.lists ? value : value.filter((match) => this.isNew(match));
      if (fresh.length > 0) return fresh;
    }
  }

  /** Each candidate's place in [0, 1], 1 the best; undefined where the schedule has none, or not yet. */
  get places(): readonly number[] | undefined {
    return this.places_;
  }

  private isNew(match: Match): boolean {
    const name = nameOf(match);
    const fresh = !this.asked.has(name) && match[0] !== match[1];
    this.asked.add(name);
    return fresh;
  }
}

/** What a candidate earned on average of those that it was asked against; 0 where nothing was decided. */
export function meanOutcome(outcomes: Outcomes, i: number, opponents: readonly number[]): number {
  const known = opponents.flatMap((j) => outcomes(i, j) ?? []);
  return known.length === 0 ? 0 : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Lambda of the prior on strengths: some shrinkage, for few games. */
const STRENGTH_PRIOR = 0.5;
/** A graded outcome tells log-odds, not the toss of a coin: it counts as so many games. */
const GRADED_WEIGHT = 10;

/** Strengths of n candidates from the pairs of which something was decided. */
export function strengthsOf(n: number, pairs: readonly Match[], outcomes: Outcomes, graded: boolean): Fit {
  const games = pairs.flatMap(([i, j]): Game[] => {
    const score = outcomes(i as number, j as number) ?? null;
    return score === null ? [] : [{ i: i as number, j: j as number, score }];
  });
  return fitted(n, games, STRENGTH_PRIOR, graded ? GRADED_WEIGHT : 1);
}
