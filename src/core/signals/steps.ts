// Owns the kind `steps`: one number out of the scores of a rollout's steps, which the caller sends.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";
import { answeredAtOnce, factOf, type Signal } from "./signal.ts";
import { type Valued, valued, without } from "./signal-value.ts";

const StepScoresSchema = z
  .array(z.number().min(0).max(1).nullable())
  .max(...bound("solution_steps_max"))
  .meta({ description: "probability that each step of the rollout is right; null: nobody looked at it" });

const SCHEMA = z.strictObject({
  reduce: z.enum(["min", "last", "prod", "mean", "softmin"]).default("min"),
  temperature: z
    .number()
    .gt(0)
    .max(...bound("softmin_temperature_max"))
    .optional()
    .meta({ description: "of softmin; default 0.1, as in PURE" }),
});
export type StepsSettings = z.output<typeof SCHEMA>;

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
  { reduce, temperature = TEMPERATURE }: StepsSettings,
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

export const steps: Signal<StepsSettings> = {
  kind: "steps",
  schema: SCHEMA,
  fields: { rollout: { step_scores: StepScoresSchema } },
  fault: ({ reduce, temperature }) =>
    temperature !== undefined && reduce !== "softmin"
      ? { path: ["temperature"], message: `only softmin has one; ${reduce} does not` }
      : null,
  relative: false,
  facts: () => ["step_scores"],
  range: () => [0, 1],
  open({ group }, settings) {
    const all = group.rollouts.map((rollout) => factOf<(number | null)[]>(rollout, "step_scores") ?? []);
    const reduced = (scores: readonly (number | null)[]): Valued => {
      const value = reduceSteps(scores, settings);
      return value === null ? without("no_steps") : valued(value);
    };
    return answeredAtOnce(
      () => all.map(reduced),
      () => all.map((scores) => ({ steps: scores, first_wrong: firstWrong(scores) })),
    );
  },
};
