// Owns the kind `consensus`: rewards without labels, by what the group's answers have in common or
// how sure the policy is of them. It can be gamed by agreeing, so it runs out at a step.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { readAnswer } from "../candidate/answers/compare-answers.ts";
import { isOpener } from "../candidate/openers.ts";
import { anyText, wholeFrom } from "../faults/bounded.ts";
import { mostFrequent, rankShares } from "../math/stats.ts";
import { type UnreadableRule, UnreadableSchema, unread } from "./unreadable.ts";

const FIELDS = {
  answer: anyText("answer_chars")
    .nullable()
    .meta(
      said(
        "the final answer taken out of the rollout, normalised; null, empty or words that only announce one: none was found",
      ),
    ),
  self_certainty: z
    .number()
    .meta(said("KL divergence of the uniform distribution from the policy's, mean over tokens, in nats")),
  token_entropy: z.number().min(0).meta(said("entropy of the policy's next token, mean over tokens, in nats")),
};

const SCHEMA = z.strictObject({
  form: z.enum(["majority", "cluster_share", "self_certainty", "token_entropy"]).default("majority"),
  unreadable: UnreadableSchema,
  label_free: z.literal(true, "must be true: nothing here says whether an answer is right"),
  max_steps: wholeFrom(1, "step_max").meta(
    said("from this step on there is no value: training without labels collapses in the end"),
  ),
});
type ConsensusSettings = z.output<typeof SCHEMA>;

type ConsensusAnswer = string | null;

/** Signs that may be what was asked for, and announce nothing. */
const SIGN = /^(?:[-+*/<>=%\u00b0]|[<>]=|\(\)|\[\]|\\\{\\\})$/;
const isAnswer = (text: string): boolean => SIGN.test(text) || !isOpener(text);

/**
 * What an answer is counted as: those that the rules of `reference` find equal are one, so `1/2`,
 * `0.5` and `\\frac{1}{2}` are. null for none: an opener is none, or a group that only announces
 * answers would agree with itself.
 */
const keysOf = (answers: readonly ConsensusAnswer[]): (string | null)[] =>
  answers.map((answer) => (answer && isAnswer(answer) ? readAnswer(answer, "auto").key : null));

/**
 * TTRL (arXiv 2504.16084): 1 for the most frequent answer, else 0, no answer included. A tie at the
 * top and a group without an answer have no majority. The release lets the first seen win a tie,
 * and an empty answer be one.
 */
export function majorityRewards(answers: readonly ConsensusAnswer[]): Valued[] {
  const keys = keysOf(answers);
  const known = keys.filter((key) => key !== null);
  const top = mostFrequent(known);
  if (top === null) return keys.map(() => without(known.length === 0 ? "no_answer" : "no_majority"));
  return keys.map((key) => valued(key === top ? 1 : 0));
}

/**
 * EMPO (arXiv 2504.05812): the share of the group that gave the same answer; none is like no other.
 */
export function clusterShares(answers: readonly ConsensusAnswer[]): number[] {
  const keys = keysOf(answers);
  return keys.map((key) => (key === null ? 1 : keys.filter((other) => other === key).length) / keys.length);
}

const FACT = {
  majority: "answer",
  cluster_share: "answer",
  self_certainty: "self_certainty",
  token_entropy: "token_entropy",
} as const;

/** Who gives no answer has lost, also where nobody gives one, or by the spec's word has no value. */
function ofAnswers(
  answers: readonly ConsensusAnswer[],
  form: ConsensusSettings["form"],
  how: UnreadableRule,
): Valued[] {
  const found = form === "majority" ? majorityRewards(answers) : clusterShares(answers).map(valued);
  const none = keysOf(answers).map((key) => key === null);
  return found.map((value, r) => {
    const isLost = none[r] === true && (how.unreadable === "null" || value.code === "no_answer");
    return isLost ? unread(how, "no_answer").value : value;
  });
}

function valuesOf(rollouts: readonly object[], { form, unreadable }: ConsensusSettings): Valued[] {
  if (form === "majority" || form === "cluster_share") {
    const answers = rollouts.map((rollout) => factOf<ConsensusAnswer>(rollout, "answer") ?? null);
    return ofAnswers(answers, form, { unreadable });
  }
  const sign = form === "self_certainty" ? 1 : -1;
  return rankShares(rollouts.map((rollout) => sign * (factOf<number>(rollout, FACT[form]) as number))).map(valued);
}

export const consensus: Signal<ConsensusSettings> = {
  kind: "consensus",
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  fault: ({ form, unreadable }) =>
    unreadable === undefined || form === "majority" || form === "cluster_share"
      ? null
      : { path: ["unreadable"], message: `${form} reads no answers` },
  relative: true,
  label_free: true,
  facts: ({ form }) => [FACT[form], "step"],
  range: () => [0, 1],
  open({ group: { rollouts } }, settings, { step }) {
    return answeredAtOnce(() =>
      step >= settings.max_steps ? rollouts.map(() => without("label_free_over")) : valuesOf(rollouts, settings),
    );
  },
};
