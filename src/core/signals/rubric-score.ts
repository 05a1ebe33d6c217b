// Computes a rubric's score from the decisions on its items.
import { mostFrequent } from "../math/stats.ts";
import type { RubricItem } from "./rubric-items.ts";

/** The degree to which an item is met, in [0, 1]; null if undecided. */
export type Decided = number | null;

interface RubricResult {
  /** In [0, 1]; null if the decided items have no weight. */
  value: number | null;
  /** The formula's result before it is clamped to [0, 1]. */
  raw: number | null;
  /**
   * Weight of the decided items divided by the weight of all items, in [0, 1]; null if no item has
   * weight.
   */
  coverage: number | null;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/**
 * `points_over_positive`: sum of the points met divided by the sum of positive points, clamped to [0, 1]
 * (HealthBench, openai/simple-evals `calculate_score`; Rubrics as Rewards, arXiv 2507.17746).
 * `weighted_mean`: mean of how far each item is met, weighted by its points (verifiers' RubricJudge).
 * Undecided items are left out of both sums and reduce the coverage.
 */
export function rubricScore(
  items: readonly Pick<RubricItem, "points">[],
  decided: readonly Decided[],
  score: "points_over_positive" | "weighted_mean",
): RubricResult {
  const known = items.flatMap(({ points }, i) => {
    const met = decided[i] ?? null;
    return met === null ? [] : [{ points, met }];
  });
  const whole = sumOf(items.map(({ points }) => Math.abs(points)));
  const coverage = whole === 0 ? null : sumOf(known.map(({ points }) => Math.abs(points))) / whole;
  const maxPoints = sumOf(known.map(({ points }) => (score === "weighted_mean" ? points : Math.max(points, 0))));
  if (maxPoints <= 0) return { value: null, raw: null, coverage };
  const raw = sumOf(known.map(({ points, met }) => points * met)) / maxPoints;
  return { value: Math.min(1, Math.max(0, raw)), raw, coverage };
}

/**
 * How far a choice is met, from its 1-based position among the choices, worst first (verifiers); null for an
 * invalid position.
 */
export function choiceMet(place: number, choices: number): Decided {
  return Number.isInteger(place) && place >= 1 && place <= choices ? (place - 1) / (choices - 1) : null;
}

/** The most frequent decision of the samples; null if the most frequent ones are tied. */
export const majority = (votes: readonly Decided[]): Decided => mostFrequent(votes.filter((vote) => vote !== null));
