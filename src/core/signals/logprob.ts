// Owns the kind `logprob`: how likely the policy finds the reference answer after its own
// reasoning, from log probabilities that the caller sends.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { bound } from "../faults/limit-advice.ts";
import { mean, populationStd } from "../math/stats.ts";

// Rounding in half precision leaves a little above 0.
const LogprobsSchema = z.array(z.number().max(...bound("logprob_max"))).max(...bound("reference_tokens_max"));
const FIELDS = {
  reference_logprobs: LogprobsSchema.meta(
    said("natural log probability of each token of the reference answer after the rollout's reasoning"),
  ),
  base_reference_logprobs: LogprobsSchema.meta(said("the same without the reasoning")),
};

const SCHEMA = z.strictObject({
  form: z.enum(["mean_prob", "seq_lik"]).default("mean_prob"),
  debias: z
    .boolean()
    .optional()
    .meta(said("of mean_prob: less what the answer has without the reasoning, at least 0; default false")),
  low_std: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(said("groups whose values spread less than this (population std) are marked `low_std`")),
});
type LogprobSettings = z.output<typeof SCHEMA>;

const probability = (logprob: number): number => Math.min(1, Math.exp(logprob));

/** Mean over tokens of exp(logprob), in [0, 1] (RLPR, arXiv 2506.18254); null without a token. */
export const meanProbability = (logprobs: readonly number[]): number | null =>
  logprobs.length === 0 ? null : mean(logprobs.map(probability));

/**
 * exp of the summed log probabilities, in [0, 1] (VeriFree, arXiv 2505.21493); null without a
 * token.
 */
export const sequenceLikelihood = (logprobs: readonly number[]): number | null =>
  logprobs.length === 0 ? null : probability(logprobs.reduce((sum, logprob) => sum + logprob, 0));

function likelihood(rollout: object, { form, debias }: LogprobSettings): Valued {
  const after = factOf<number[]>(rollout, "reference_logprobs") ?? [];
  const value = form === "seq_lik" ? sequenceLikelihood(after) : meanProbability(after);
  if (value === null) return without("invalid_reference");
  if (debias !== true) return valued(value);
  const before = meanProbability(factOf<number[]>(rollout, "base_reference_logprobs") ?? []);
  return before === null ? without("invalid_reference") : valued(Math.max(0, value - before));
}

export const logprob: Signal<LogprobSettings> = {
  kind: "logprob",
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  fault: ({ form, debias }) =>
    form === "seq_lik" && debias !== undefined ? { path: ["debias"], message: "only mean_prob has a base" } : null,
  relative: false,
  facts: ({ debias }) => ["reference_logprobs", ...(debias === true ? ["base_reference_logprobs"] : [])],
  range: () => [0, 1],
  open({ group: { rollouts } }, settings) {
    const scores = rollouts.map((rollout) => likelihood(rollout, settings));
    const known = scores.flatMap(({ value }) => value ?? []);
    const low = settings.low_std !== undefined && known.length > 1 && populationStd(known) < settings.low_std;
    return answeredAtOnce(
      () => scores,
      () => rollouts.map(() => (low ? { low_std: true } : null)),
    );
  },
};
