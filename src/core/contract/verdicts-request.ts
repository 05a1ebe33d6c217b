// The request that rewards the answers of a verifier in training (POST /v1/verdicts).
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { LengthTokensSchema, PassRateSchema } from "./group.ts";
import { KEPT_TEXTS } from "./kept-texts.ts";
import { PromptSchema } from "./prompt.ts";
import { RunIdSchema, StepSchema } from "./request-fields.ts";
import { OverlongSchema } from "./spec.ts";
import { withinReach } from "./text-bytes.ts";

const FormulationSchema = z.enum(["list_em", "pair_em", "list_sc", "pair_sc"]);

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
  prompt: PromptSchema.optional().meta(
    said(
      "prompt that the verifier saw; never affects the reward, and is stored with `text` if the request's texts are stored",
    ),
  ),
  text: z.string().overwrite((text) => withinReach(text, LIMITS.verdict_text_bytes)),
  candidates: z
    .int()
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max"))
    .optional(),
  correct: CandidateIndexSchema.optional().meta(said("0-based index of the correct candidate")),
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
  log_texts: KEPT_TEXTS.log_texts.meta(
    said(
      "whether the prompts and texts are stored; if true, every item needs a prompt. Default: the deployment's setting",
    ),
  ),
  formulation: FormulationSchema,
  options: VerdictOptionsSchema.prefault({}),
  overlong: OverlongSchema.nullable().default(null),
  items: z
    .array(VerdictItemSchema)
    .min(1)
    .max(...bound("verdict_items_max")),
});

export type VerdictsRequest = z.output<typeof VerdictsRequestSchema>;
