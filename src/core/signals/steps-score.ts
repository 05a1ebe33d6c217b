// Converts the scores of a solution's steps to one value per step and one value for the whole solution, and
// finds the first wrong step.

import type { Detail } from "../asking/plan.ts";
import { type Valued, type ValueRange, valued, without } from "../asking/signal-value.ts";
import { LIMITS } from "../faults/limits.ts";
import { exp } from "../math/elementary.ts";
import { mean, sumOf } from "../math/stats.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

export const STEP_REDUCTIONS = ["min", "last", "prod", "mean", "softmin", "sum", "weighted"] as const;
export const STEP_WORTHS = ["score", "delta", "progress"] as const;

export interface Reduction extends UnreadableRule {
  reduce: (typeof STEP_REDUCTIONS)[number];
  /** Only for `softmin`. */
  temperature?: number | undefined;
  /** Only for `weighted`: one weight per step. */
  weights?: readonly number[] | undefined;
  /** Value of a step; default: its score. */
  per_step?: Exclude<(typeof STEP_WORTHS)[number], "score"> | undefined;
  /** Only for log ratios, whose range is infinite. If omitted, the scores are probabilities. */
  beta?: number | undefined;
}

/** The scores of a rollout's steps and, if needed, the score before the first step. */
export interface StepScores {
  scores: readonly (number | null)[];
  start?: number | undefined;
}

type StepValues = readonly (number | null)[];

const TEMPERATURE = 0.1;
const PROBABILITY: ValueRange = [0, 1];
const DIFFERENCE: ValueRange = [-1, 1];

/** Range of the value that `reduced` returns. */
export function reducedRange({ reduce, per_step, beta }: Reduction): ValueRange {
  if (beta !== undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (per_step === undefined) return reduce === "sum" ? [0, LIMITS.solution_steps_max] : PROBABILITY;
  // Deltas add up to the first score; progress values add up to the last score minus the start.
  return reduce === "sum" && per_step === "delta" ? PROBABILITY : DIFFERENCE;
}

const knownOf = (values: StepValues): number[] => values.filter((value) => value !== null);

/**
 * Sum of the scores p, weighted by softmax(-p / T) (PURE, arXiv 2504.15275): a smooth approximation of the
 * minimum.
 */
function softmin(values: readonly number[], temperature: number): number {
  const min = Math.min(...values);
  const weights = values.map((p) => exp((min - p) / temperature));
  const all = sumOf(weights);
  return sumOf(values.map((p, i) => (p * (weights[i] as number)) / all));
}

/**
 * Differences of neighbouring scores; steps without a score are skipped.
 * - `progress`: a step's score minus the previous one, for the first step minus the start (PAV, arXiv
 *   2410.08146: the prover's value after the step minus the value before it).
 * - `delta`: a step's score minus the next one, the last score unchanged (arXiv 2410.15115). The deltas
 *   from a step to the end add up to its score, however many steps there are.
 */
function differences({ scores, start = 0 }: StepScores, per_step: "delta" | "progress"): StepValues {
  const known = knownOf(scores);
  let at = 0;
  return scores.map((score) => {
    if (score === null) return null;
    const i = at++;
    return per_step === "delta" ? score - (known[i + 1] ?? 0) : score - (known[i - 1] ?? start);
  });
}

/**
 * The score of each prefix, times its share of the weights (AnytimeReasoner, arXiv 2505.13438, eq. 3: the
 * expected score over thinking budgets). A rollout that ended early keeps its last score at all later
 * budgets; a prefix without a score gets no weight.
 */
function shares({ scores }: StepScores, weights: readonly number[]): StepValues {
  const weightOf = (i: number) => (i === scores.length - 1 ? sumOf(weights.slice(i)) : (weights[i] ?? 0));
  const all = sumOf(scores.map((score, i) => (score === null ? 0 : weightOf(i))));
  return scores.map((score, i) => (score === null || all === 0 ? null : (score * weightOf(i)) / all));
}

/** The value of each step; for `weighted`, its contribution to the total. */
function stepValues(stepScores: StepScores, { per_step, weights }: Reduction): StepValues {
  if (weights !== undefined) return shares(stepScores, weights);
  return per_step === undefined ? stepScores.scores : differences(stepScores, per_step);
}

/** Reduces the step values that are not null to one number; null if there are none. */
export function reduceSteps(values: StepValues, { reduce, temperature = TEMPERATURE }: Reduction): number | null {
  const known = knownOf(values);
  if (known.length === 0) return null;
  if (reduce === "min") return Math.min(...known);
  if (reduce === "last") return known.at(-1) as number;
  if (reduce === "prod") return known.reduce((product, p) => product * p, 1);
  if (reduce === "mean") return mean(known);
  return reduce === "softmin" ? softmin(known, temperature) : sumOf(known);
}

/**
 * beta times the log ratio between two models over each step's tokens: the implicit process reward of PRIME
 * (arXiv 2502.01456, eq. 3). The sum over all steps is its outcome reward.
 */
export const logRatios = (
  { trained, base }: { trained: readonly number[]; base: readonly number[] },
  beta: number,
): StepScores => ({ scores: trained.map((logprob, i) => beta * (logprob - (base[i] as number))) });

const HALF = 0.5;

/** Index of the first step with a score below 0.5; -1 if there is none. */
export const firstWrong = (scores: StepValues): number => scores.findIndex((score) => score !== null && score < HALF);

/**
 * The value of one rollout, clamped to its range to undo rounding errors. A rollout without steps counts as
 * unreadable. If no step has a score, the error code is `no_steps`.
 */
export function reduced(stepScores: StepScores, how: Reduction): Valued {
  const [low, high] = reducedRange(how);
  if (stepScores.scores.length === 0)
    return Number.isFinite(low) ? unread(how, "no_steps", low).value : without("no_steps");
  const value = reduceSteps(stepValues(stepScores, how), how);
  return value === null ? without("no_steps") : valued(Math.min(high, Math.max(low, value)));
}

/** Details about a rollout's steps. */
export const stepsDetail = (stepScores: StepScores, how: Reduction): Detail => ({
  steps: stepValues(stepScores, how),
  ...(how.beta === undefined && { first_wrong: firstWrong(stepScores.scores) }),
});
