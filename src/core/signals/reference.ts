// Owns the kind `reference`: whether a rollout's final answer is the reference's, by rules.
import * as z from "zod";
import { plainAnswer } from "../candidate/answers/answer-text.ts";
import {
  ANSWER_TYPES,
  type AnswerType,
  type Comparison,
  compareAnswers,
} from "../candidate/answers/compare-answers.ts";
import { ANSWER_PLACES, finalAnswer } from "../candidate/answers/final-answer.ts";
import { bound } from "../faults/limit-advice.ts";
import { answeredAtOnce, factOf, type Signal } from "./signal.ts";
import { type Valued, valued, without } from "./signal-value.ts";

const ReferenceText = z
  .string()
  .min(1)
  .max(...bound("answer_chars"));
const FIELDS = {
  reference: z
    .union([
      ReferenceText,
      z
        .array(ReferenceText)
        .min(1)
        .max(...bound("references_max")),
    ])
    .meta({ description: "the right answer, or several of which one must be met" }),
  answer_type: z.enum(ANSWER_TYPES).meta({ description: "what the reference is; the spec's answer_type otherwise" }),
};

const SCHEMA = z.strictObject({
  answer: z.enum(ANSWER_PLACES).default("boxed").meta({ description: "where the final answer stands in a rollout" }),
  answer_type: z.enum(ANSWER_TYPES).default("auto"),
  tolerance: z
    .number()
    .min(0)
    .max(...bound("tolerance_max"))
    .default(0)
    .meta({ description: "numbers are equal within this share of the larger; 0: exactly" }),
});
export type ReferenceSettings = z.output<typeof SCHEMA>;

/** Equal to one of the references; different from all; else unknown. */
export function compareWithAny(
  references: readonly string[],
  answer: string,
  type: AnswerType,
  tolerance: number,
): Comparison {
  const how = { type, tolerance: BigInt(Math.round(tolerance * 1e6)) };
  const found = references.map((reference) => compareAnswers(reference, answer, how));
  if (found.includes("equal")) return "equal";
  return found.includes("unknown") ? "unknown" : "different";
}

const VALUES: Readonly<Record<Comparison, Valued>> = {
  equal: valued(1),
  different: valued(0),
  unknown: without("rules_undecided"),
};

export const reference: Signal<ReferenceSettings> = {
  kind: "reference",
  schema: SCHEMA,
  fields: { group: FIELDS },
  relative: false,
  verified: true,
  facts: () => ["group.reference"],
  range: () => [0, 1],
  open({ group, candidates }, { answer: place, answer_type, tolerance }) {
    const references = [factOf<string | string[]>(group, "reference") ?? []].flat();
    const type = factOf<AnswerType>(group, "answer_type") ?? answer_type;
    const valid = references.some((one) => plainAnswer(one) !== "");
    const compared = group.rollouts.map(({ text }, r): Comparison => {
      const answer = finalAnswer(text, candidates[r] ?? null, place);
      // Who gives no answer has not given the right one.
      return answer === null ? "different" : compareWithAny(references, answer, type, tolerance);
    });
    return answeredAtOnce(
      () => compared.map((one) => (valid ? VALUES[one] : without("invalid_reference"))),
      () => compared.map((one) => (one === "unknown" ? null : { tier: "rules" })),
    );
  },
};
