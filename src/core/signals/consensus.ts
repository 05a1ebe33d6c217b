// Owns the kind `consensus`: rewards without labels, by what the group's answers have in common or
// how sure the policy is of them. It can be gamed by agreeing, so it runs out at a step.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";
import { rankShares } from "./expression-functions.ts";
import { answeredAtOnce, factOf, type Signal } from "./signal.ts";
import { type Valued, valued, without } from "./signal-value.ts";

const FIELDS = {
  answer: z
    .string()
    .max(...bound("answer_chars"))
    .nullable()
    .meta({ description: "the final answer taken out of the rollout, normalised; null or empty: none was found" }),
  self_certainty: z
    .number()
    .meta({ description: "KL divergence of the uniform distribution from the policy's, mean over tokens, in nats" }),
  token_entropy: z
    .number()
    .min(0)
    .meta({ description: "entropy of the policy's next token, mean over tokens, in nats" }),
};

const SCHEMA = z.strictObject({
  form: z.enum(["majority", "cluster_share", "self_certainty", "token_entropy"]).default("majority"),
  label_free: z.literal(true, "must be true: nothing here says whether an answer is right"),
  max_steps: z
    .int()
    .min(1)
    .max(...bound("step_max"))
    .meta({ description: "from this step on there is no value: training without labels collapses in the end" }),
});
export type ConsensusSettings = z.output<typeof SCHEMA>;

type Answer = string | null;

function countsOf(answers: readonly Answer[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const answer of answers) if (answer) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return counts;
}

/**
 * TTRL (arXiv 2504.16084): 1 for the most frequent answer, else 0, no answer included. A tie at the
 * top and a group without an answer have no majority. The release lets the first seen win a tie,
 * and an empty answer be one.
 */
export function majorityRewards(answers: readonly Answer[]): Valued[] {
  const counts = countsOf(answers);
  const most = Math.max(0, ...counts.values());
  const top = [...counts].filter(([, count]) => count === most).map(([answer]) => answer);
  const code = top.length === 0 ? "no_answer" : top.length > 1 ? "no_majority" : null;
  return answers.map((answer) => (code === null ? valued(answer === top[0] ? 1 : 0) : without(code)));
}

/**
 * EMPO (arXiv 2504.05812): the share of the group that gave the same answer; none is like no other.
 */
export function clusterShares(answers: readonly Answer[]): number[] {
  const counts = countsOf(answers);
  return answers.map((answer) => ((answer ? counts.get(answer) : 1) as number) / answers.length);
}

const FACT = {
  majority: "answer",
  cluster_share: "answer",
  self_certainty: "self_certainty",
  token_entropy: "token_entropy",
} as const;

function valuesOf(rollouts: readonly object[], form: ConsensusSettings["form"]): Valued[] {
  if (form === "majority") return majorityRewards(rollouts.map((one) => factOf<Answer>(one, "answer") ?? null));
  if (form === "cluster_share") {
    return clusterShares(rollouts.map((one) => factOf<Answer>(one, "answer") ?? null)).map(valued);
  }
  const sign = form === "self_certainty" ? 1 : -1;
  return rankShares(rollouts.map((one) => sign * (factOf<number>(one, FACT[form]) as number))).map(valued);
}

export const consensus: Signal<ConsensusSettings> = {
  kind: "consensus",
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  relative: true,
  label_free: true,
  facts: ({ form }) => [FACT[form], "step"],
  range: () => [0, 1],
  open({ group: { rollouts } }, { form, max_steps }, { step }) {
    return answeredAtOnce(() =>
      step >= max_steps ? rollouts.map(() => without("label_free_over")) : valuesOf(rollouts, form),
    );
  },
};
