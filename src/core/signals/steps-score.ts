// How the scores of a solution's steps become one number, and which step is the first wrong one.
import type { Detail } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

export const STEP_REDUCTIONS = ["min", "last", "prod", "mean", "softmin"] as const;

export interface Reduction extends UnreadableRule {
  reduce: (typeof STEP_REDUCTIONS)[number];
  /** Of softmin. */
  temperature?: number | undefined;
}

const TEMPERATURE = 0.1;

/** Sum of p weighted by softmax(-p / T) (PURE, arXiv 2504.15275): nearly the minimum, smooth. */
function softmin(scores: readonly number[], temperature: number): number {
  const least = Math.min(...scores);
  const weights = scores.map((p) => Math.exp((least - p) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return scores.reduce((sum, p, i) => sum + (p * (weights[i] as number)) / total, 0);
}

/** One value of the steps that somebody looked at; null without one. In [0, 1]. */
export function reduceSteps(
  scores: readonly (number | null)[],
  { reduce, temperature = TEMPERATURE }: Reduction,
): number | null {
  const known = scores.filter((score) => score !== null);
  if (known.length === 0) return null;
  if (reduce === "min") return Math.min(...known);
  if (reduce === "last") return known.at(-1) as number;
  if (reduce === "prod") return known.reduce((product, p) => product * p, 1);
  if (reduce === "mean") return known.reduce((sum, p) => sum + p, 0) / known.length;
  return Math.min(1, softmin(known, temperature));
}

const HALF = 0.5;

/** Index of the first step that is rather wrong than right, -1 without one. */
export const firstWrong = (scores: readonly (number | null)[]): number =>
  scores.findIndex((score) => score !== null && score < HALF);

/**
 * The scores of one rollout's steps as its value: a rollout without steps cannot be read, and
 * `no_steps` is it where nobody scored one.
 */
export function reduced(scores: readonly (number | null)[], how: Reduction): Valued {
  if (scores.length === 0) return unread(how, "no_steps").value;
  const value = reduceSteps(scores, how);
  return value === null ? without("no_steps") : valued(value);
}

/** What a rollout's details hold of its steps. */
export const stepsDetail = (scores: readonly (number | null)[]): Detail => ({
  steps: scores,
  first_wrong: firstWrong(scores),
});
