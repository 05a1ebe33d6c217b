// Owns the shape of OpenAI's graders as their clients send it. What a grader means here:
// grader-spec.ts.

import * as z from "zod";
import { said } from "#said";
import { bound } from "../../core/faults/limit-advice.ts";
import { CompletionSchema } from "./shared/messages.ts";

export const SampleSchema = CompletionSchema.meta(
  said(
    "the sample; as JSON it is `sample.output_json` besides. A run's messages are `sample.output_text` whole, for graders that ask a model",
  ),
);

/** A part of a message's content; those that are no text are refused by name. */
const PartSchema = z.union([
  z.string(),
  z.looseObject({ type: z.enum(["input_text", "output_text"]), text: z.string() }),
  z.looseObject({ type: z.string() }),
]);
export type InputPart = z.output<typeof PartSchema>;

const InputSchema = z
  .array(
    z.object({
      role: z.enum(["user", "assistant", "system", "developer"]),
      content: z.union([...PartSchema.options, z.array(PartSchema).max(...bound("content_parts_max"))]),
    }),
  )
  .max(...bound("judge_messages_max"));

const LabelsSchema = z.array(z.string()).max(...bound("labels_max"));

const name = z.string().min(1).max(64);
const texts = { name, input: z.string(), reference: z.string() };
const asked = { name, model: z.string(), input: InputSchema };

const StringCheckSchema = z.object({
  type: z.literal("string_check"),
  ...texts,
  operation: z.enum(["eq", "ne", "like", "ilike"]),
});
const TextSimilaritySchema = z.object({
  type: z.literal("text_similarity"),
  ...texts,
  evaluation_metric: z
    .string()
    .meta(
      said(
        "`fuzzy_match`, `bleu`, `gleu`, `rouge_1` to `rouge_5`, `rouge_l`; `cosine` and `meteor` are refused by name",
      ),
    ),
});
const ScoreModelSchema = z.object({
  type: z.literal("score_model"),
  ...asked,
  range: z.array(z.number()).max(2).nullish().meta(said("the lowest and the highest score. Default 0 and 1")),
  sampling_params: z
    .object({
      max_completions_tokens: z.number().nullish(),
      temperature: z.number().nullish(),
      top_p: z.number().nullish(),
      seed: z.number().nullish(),
      reasoning_effort: z.string().nullish().meta(said("has no place here and is refused")),
    })
    .nullish(),
});
const LabelModelSchema = z.object({
  type: z.literal("label_model"),
  ...asked,
  labels: LabelsSchema,
  passing_labels: LabelsSchema,
});
const PythonSchema = z.object({ type: z.literal("python"), name }).meta(said("is refused: no code is run"));

const OneSchema = z.discriminatedUnion("type", [
  StringCheckSchema,
  TextSimilaritySchema,
  ScoreModelSchema,
  LabelModelSchema,
  PythonSchema,
]);
export type OneGrader = z.output<typeof OneSchema>;

/** By the names that calculate_output has for them. */
const NamedSchema = z
  .record(z.string(), OneSchema)
  .refine((graders) => Object.keys(graders).length > 0, "holds no grader")
  .meta({ minProperties: 1 });

const MultiSchema = z.object({
  type: z.literal("multi"),
  name,
  graders: z
    .union([OneSchema, NamedSchema])
    .meta(said("by the names that calculate_output has for them; or one, under its own name")),
  calculate_output: z.string(),
});

export const GraderSchema = z.discriminatedUnion("type", [...OneSchema.options, MultiSchema]);
export type Grader = z.output<typeof GraderSchema>;
