// Limits on what a judge may spend: samples per question with a rule for stopping early, and a budget per
// group.

import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";

/** Schema of an integer from 1 to a limit. */
export const count = (limit: "samples_max" | "generations_verify_max") =>
  z
    .int()
    .min(1)
    .max(...bound(limit));

/** Number of samples per question, with the rule for stopping early. */
export const SamplesSchema = z
  .strictObject({
    min: count("samples_max").default(1),
    max: count("samples_max"),
    stop: z
      .enum(["majority", "confidence"])
      .default("confidence")
      .meta(
        said(
          "`majority`: stop once no further verdict can change the majority; `confidence`: stop once P(Beta(v1 + 1, v2 + 1) > 1/2) reaches `confidence`",
        ),
      ),
    confidence: z.number().gt(0.5).lt(1).default(0.95),
  })
  .refine(({ min, max }) => min <= max, { path: ["min"], message: "min must be at most max" });

/** Maximum number of tokens per answer. */
export const tokens = z
  .int()
  .min(1)
  .max(...bound("max_tokens_max"));

/** Maximum number of tokens per answer if the spec does not set `max_tokens`. */
const MAX_TOKENS_DEFAULT = 16_384;

export const MaxTokensSchema = tokens.default(MAX_TOKENS_DEFAULT);

export const BudgetSchema = z
  .strictObject({
    generations: count("generations_verify_max").optional(),
    tokens: z
      .int()
      .min(1)
      .max(...bound("integer_max"))
      .optional()
      .meta(said("maximum number of generated tokens per group; each generation reserves `max_tokens`")),
    ratio: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .meta(
        said(
          "maximum share of the generations that all pairs would take, from 0 to 1; always enough for one pair per candidate",
        ),
      ),
  })
  .refine((budget) => Object.keys(budget).length === 1, "must have exactly one of generations, tokens and ratio")
  .meta({
    ...said("limit on a group's comparisons; pairs beyond it are `unasked`. Default: no limit"),
    minProperties: 1,
    maxProperties: 1,
  });
