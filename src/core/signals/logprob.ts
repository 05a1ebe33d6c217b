// The kind `logprob`, computed from log probabilities that the caller sends: how likely the reference answer
// is to the policy after its own reasoning, or how much likelier the rollout is to one model than to another.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, type RolloutValue } from "../asking/plan.ts";
import { factOf, type GroupFault, type Signal } from "../asking/signal.ts";
import { type Valued, type ValueRange, valued, without } from "../asking/signal-value.ts";
import { bound } from "../faults/limit-advice.ts";
import { exp } from "../math/elementary.ts";
import { mean, populationStd, sumOf } from "../math/stats.ts";

// Rounding in half precision can give log probabilities slightly above 0.
const LogprobsSchema = z.array(z.number().max(...bound("logprob_max"))).max(...bound("reference_tokens_max"));
const FIELDS = {
  reference_logprobs: LogprobsSchema.meta(
    said("natural log probability of each token of the reference answer after the rollout's reasoning"),
  ),
  base_reference_logprobs: LogprobsSchema.meta(
    said("natural log probability of each token of the reference answer without the reasoning"),
  ),
  text_logprobs: LogprobsSchema.meta(
    said("natural log probability of each token of the rollout under the stronger model"),
  ),
  base_text_logprobs: LogprobsSchema.meta(
    said("natural log probability of each token of the rollout under the weaker model, in that model's tokens"),
  ),
};

const SCHEMA = z.strictObject({
  form: z.enum(["mean_prob", "seq_lik", "r3", "density_ratio"]).default("mean_prob"),
  debias: z
    .boolean()
    .optional()
    .meta(
      said(
        "for mean_prob and r3: subtracts the answer's value without the reasoning; with mean_prob, the result is at least 0. Default false",
      ),
    ),
  per_token: z
    .boolean()
    .optional()
    .meta(
      said(
        "for density_ratio: divides by the number of text_logprobs, so that the value does not depend on length; default false",
      ),
    ),
  low_std: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(said("groups whose values have a population standard deviation below this are marked `low_std`")),
});
type LogprobSettings = z.output<typeof SCHEMA>;

const probability = (logprob: number): number => Math.min(1, exp(logprob));

/** Mean of exp(logprob) over tokens, in [0, 1] (RLPR, arXiv 2506.18254); null without tokens. */
export const meanProbability = (logprobs: readonly number[]): number | null =>
  logprobs.length === 0 ? null : mean(logprobs.map(probability));

/** exp of the summed log probabilities, in [0, 1] (VeriFree, arXiv 2505.21493); null without tokens. */
export const sequenceLikelihood = (logprobs: readonly number[]): number | null =>
  logprobs.length === 0 ? null : probability(sumOf(logprobs));

const numbersOf = (rollout: object, field: keyof typeof FIELDS) => factOf<number[]>(rollout, field) ?? [];

/**
 * Log ratio of the stronger to the weaker model's likelihood of the rollout (Dr. SoW, formerly CDR, arXiv
 * 2411.02481, eq. 2).
 */
function densityRatio(rollout: object, { per_token }: LogprobSettings): Valued {
  const strong = numbersOf(rollout, "text_logprobs");
  if (strong.length === 0) return without("no_number");
  const ratio = sumOf(strong) - sumOf(numbersOf(rollout, "base_text_logprobs"));
  return valued(per_token === true ? ratio / strong.length : ratio);
}

/**
 * Reasoning reflection reward of DRO (arXiv 2506.13351, section 4.1.3): the log probability of each reference
 * token, minus its value without the reasoning if `debias` is set, weighted by how much the token's log
 * probability varies over the group. The paper leaves the weight open; here it is the token's population
 * standard deviation divided by the sum over all tokens, and equal weights if no token varies.
 */
function reflection(rollouts: readonly object[], { debias }: LogprobSettings): RolloutValue[] {
  const after = rollouts.map((rollout) => numbersOf(rollout, "reference_logprobs"));
  const members = after.filter(({ length }) => length > 0);
  const spreads = (members[0] ?? []).map((_, j) => populationStd(members.map((row) => row[j] as number)));
  const all = sumOf(spreads);
  const token_std = spreads.reduce((max, spread) => Math.max(max, spread), 0);
  const detail = Number.isFinite(token_std) ? { token_std } : null;
  return after.map((row, r): RolloutValue => {
    const before = debias === true ? numbersOf(rollouts[r] as object, "base_reference_logprobs") : row.map(() => 0);
    if (row.length === 0 || before.length === 0) return { value: without("invalid_reference"), detail: null };
    const weightOf = (j: number) => (all > 0 ? (spreads[j] as number) / all : 1 / row.length);
    const gains = row.map((logprob, j) => weightOf(j) * (logprob - (before[j] as number)));
    return { value: valued(sumOf(gains)), detail };
  });
}

/** Returns an error if arrays that are compared token by token differ in length, else null. */
function lengthsFault({ form, debias }: LogprobSettings, group: object): GroupFault | null {
  if (form !== "r3") return null;
  const rollouts = factOf<object[]>(group, "rollouts") ?? [];
  const fields = [
    "reference_logprobs",
    ...(debias === true ? ["base_reference_logprobs"] : []),
  ] as (keyof typeof FIELDS)[];
  const counts = rollouts.flatMap((rollout, r) =>
    fields.map((field) => ({ path: `rollouts[${r}].${field}`, count: numbersOf(rollout, field).length })),
  );
  const sent = counts.filter(({ count }) => count > 0);
  const other = sent.find(({ count }) => count !== sent[0]?.count);
  if (other === undefined) return null;
  return {
    path: other.path,
    message: `has ${other.count} numbers, but ${sent[0]?.path} has ${sent[0]?.count}; both must cover the same tokens`,
  };
}

function likelihood(rollout: object, { form, debias }: LogprobSettings): Valued {
  const after = numbersOf(rollout, "reference_logprobs");
  const value = form === "seq_lik" ? sequenceLikelihood(after) : meanProbability(after);
  if (value === null) return without("invalid_reference");
  if (debias !== true) return valued(value);
  const before = meanProbability(numbersOf(rollout, "base_reference_logprobs"));
  return before === null ? without("invalid_reference") : valued(Math.max(0, value - before));
}

const UNBOUNDED: ValueRange = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

function valuesOf(rollouts: readonly object[], settings: LogprobSettings): RolloutValue[] {
  if (settings.form === "r3") return reflection(rollouts, settings);
  const measure = settings.form === "density_ratio" ? densityRatio : likelihood;
  return rollouts.map((rollout) => ({ value: measure(rollout, settings), detail: null }));
}

export const logprob: Signal<LogprobSettings> = {
  kind: "logprob",
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  fault({ form, debias, per_token }) {
    if (debias !== undefined && form !== "mean_prob" && form !== "r3") {
      return { path: ["debias"], message: "only mean_prob and r3 support debias" };
    }
    return per_token !== undefined && form !== "density_ratio"
      ? { path: ["per_token"], message: "only density_ratio supports per_token" }
      : null;
  },
  relative: false,
  relativeWith: ({ form }) => form === "r3",
  // Log probabilities sent by the caller are valid however long the rollout is.
  takesTooLong: ({ form }) => form === "density_ratio",
  facts: ({ form, debias }) =>
    form === "density_ratio"
      ? ["text_logprobs", "base_text_logprobs"]
      : ["reference_logprobs", ...(debias === true ? ["base_reference_logprobs"] : [])],
  groupFault: lengthsFault,
  range: ({ form }) => (form === "r3" || form === "density_ratio" ? UNBOUNDED : [0, 1]),
  open({ group: { rollouts } }, settings) {
    const found = valuesOf(rollouts, settings);
    const known = found.flatMap(({ value }) => value.value ?? []);
    const low = settings.low_std !== undefined && known.length > 1 && populationStd(known) < settings.low_std;
    return answeredAtOnce(
      () => found.map(({ value }) => value),
      () => found.map(({ detail }) => (low ? { ...detail, low_std: true } : detail)),
    );
  },
};
