// Owns the wire shapes of the native routes' requests (which are the domain's types too). Replies:
// replies.ts. Knows no HTTP.
import * as z from "zod";
import { bound, instead, type LimitName, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { OverlongSchema } from "./spec.ts";
import { fitsBytes, withinReach } from "./text-bytes.ts";

function boundedText(name: LimitName) {
  const limit = LIMITS[name];
  const message = `longer than the limit ${name} = ${limit} bytes of UTF-8${instead(name)}`;
  return z
    .string()
    .refine((t) => fitsBytes(t, limit), { message })
    .meta({ maxLength: limit });
}

/** A text of a grammar that also bounds its length; the refusal says both. */
export const grammar = (expression: string, limit: LimitName) =>
  z.string().regex(new RegExp(`^${expression}$`), `must match ${expression} (limit ${limit})`);

export const RunIdSchema = grammar(`[A-Za-z0-9._:-]{1,${LIMITS.id_chars}}`, "id_chars");
export const StepSchema = z
  .int()
  .min(0)
  .max(...bound("step_max"));
export const PassRateSchema = z.number().min(0).max(1);

const LengthTokensSchema = z
  .int()
  .min(0)
  .max(...bound("overlong_tokens_max"));

/** A short name: a role in a chat, a tag. */
export const WordSchema = z
  .string()
  .min(1)
  .max(...bound("name_chars"));

const PromptSchema = z.union([
  boundedText("prompt_bytes"),
  z
    .array(z.strictObject({ role: WordSchema, content: boundedText("prompt_bytes") }))
    .min(1)
    .max(...bound("messages_max")),
]);
export type Prompt = z.output<typeof PromptSchema>;

export const RolloutSchema = z.strictObject({
  text: z.string().overwrite((text) => withinReach(text)),
  length_tokens: LengthTokensSchema.optional(),
  finish_reason: z.enum(["stop", "length"]).optional(),
  too_long: z.literal(true).optional().meta({
    description:
      "the text is only the head of one beyond rollout_text_bytes, as this API's own client sends it: the rollout is malformed",
  }),
  pass_rate: PassRateSchema.optional().meta({ description: "a label, only for metrics, never for the reward" }),
});
export type Rollout = z.output<typeof RolloutSchema>;

export const LanguageSchema = grammar(`[A-Za-z0-9+#._-]{1,${LIMITS.language_chars}}`, "language_chars");

export const GroupSchema = z.strictObject({
  group_id: z
    .string()
    .min(1)
    .max(...bound("id_chars"))
    .optional(),
  prompt: PromptSchema,
  language: LanguageSchema.optional(),
  rollouts: z
    .array(RolloutSchema)
    .min(1)
    .max(...bound("rollouts_per_group_max")),
});
export type Group = z.output<typeof GroupSchema>;

/** From the request until its reply, ms. */
export const DeadlineSchema = z
  .int()
  .min(...bound("deadline_ms_min"))
  .max(...bound("deadline_ms_max"))
  .default(LIMITS.deadline_ms_default);

export const SpecNameSchema = grammar(`[a-z0-9][a-z0-9._-]{0,${LIMITS.name_chars - 1}}`, "name_chars");

export const FormulationSchema = z.enum([
  "list_em",
  "pair_em",
  "list_sc",
  "pair_sc",
  "judgelrm",
  "patch_multiselect",
  "pair_labels",
]);
export type Formulation = z.output<typeof FormulationSchema>;

const VerdictOptionsSchema = z.strictObject({
  style: z.enum(["think", "cot"]).default("think"),
  prefill: z
    .string()
    .max(...bound("prefill_chars"))
    .default(""),
  list_sc_wrong: z.union([z.literal(-1), z.literal(0)]).default(-1),
});
export type VerdictOptions = z.output<typeof VerdictOptionsSchema>;

const CandidateIndexSchema = z
  .int()
  .min(0)
  .max(LIMITS.verdict_candidates_max - 1, "verdict_candidates_max");

export const VerdictItemSchema = z.strictObject({
  text: z.string().overwrite((text) => withinReach(text, LIMITS.verdict_text_bytes)),
  candidates: z
    .int()
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max"))
    .optional(),
  correct: z
    .union([CandidateIndexSchema, z.array(CandidateIndexSchema).max(...bound("verdict_candidates_max"))])
    .optional()
    .meta({
      description:
        "0-based index of the correct candidate; of patch_multiselect and pair_labels the indices of all that are, maybe none",
    }),
  pass_rates: z
    .array(PassRateSchema)
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max"))
    .optional(),
  length_tokens: LengthTokensSchema.optional(),
});
export type VerdictItem = z.output<typeof VerdictItemSchema>;

export const VerdictsRequestSchema = z.strictObject({
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
  formulation: FormulationSchema,
  options: VerdictOptionsSchema.prefault({}),
  overlong: OverlongSchema.nullable().default(null),
  items: z
    .array(VerdictItemSchema)
    .min(1)
    .max(...bound("verdict_items_max")),
});
export type VerdictsRequest = z.output<typeof VerdictsRequestSchema>;

const EvaluationListSchema = z
  .strictObject({
    pass_rates: z
      .array(PassRateSchema)
      .min(1)
      .max(...bound("evaluation_candidates_max")),
    win_counts: z
      .array(z.number().min(0))
      .max(...bound("evaluation_candidates_max"))
      .optional(),
    selected: z.int().min(0).nullable().optional(),
    parsed: z.int().min(0).optional(),
    generations: z.int().min(0).optional(),
    cluster: z
      .string()
      .min(1)
      .max(...bound("id_chars"))
      .optional()
      .meta({
        description:
          "lists that share a cluster, such as lists of one problem, are resampled together by the bootstrap",
      }),
    tags: z
      .record(WordSchema, z.union([z.string().max(...bound("id_chars")), z.number(), z.boolean()]))
      .refine(
        (t) => Object.keys(t).length <= LIMITS.evaluation_tags_max,
        `too many; ${theLimit("evaluation_tags_max")}`,
      )
      .optional(),
  })
  .refine((l) => l.win_counts === undefined || l.win_counts.length === l.pass_rates.length, {
    path: ["win_counts"],
    message: "win_counts must have the length of pass_rates",
  })
  .refine((l) => l.selected == null || l.selected < l.pass_rates.length, {
    path: ["selected"],
    message: "selected must be an index into pass_rates",
  })
  .refine((l) => l.parsed === undefined || (l.generations !== undefined && l.parsed <= l.generations), {
    path: ["parsed"],
    message: "parsed needs generations and must be at most generations",
  });
export type EvaluationList = z.output<typeof EvaluationListSchema>;

const UndefinedTauSchema = z.enum(["drop", "zero", "minus_one"]);
export type UndefinedTau = z.output<typeof UndefinedTauSchema>;

export const EvaluationsRequestSchema = z.strictObject({
  lists: z
    .array(EvaluationListSchema)
    .min(1)
    .max(...bound("evaluation_lists_max")),
  undefined_tau: UndefinedTauSchema.default("drop"),
  bootstrap: z
    .int()
    .min(0)
    .max(...bound("bootstrap_max"))
    .default(1000),
  seed: z
    .int()
    .min(0)
    .max(...bound("integer_max"))
    .default(0),
});
export type EvaluationsRequest = z.output<typeof EvaluationsRequestSchema>;
