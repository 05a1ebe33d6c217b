// Defines what a judge may spend inside a pair and on a group: samples until sure, a budget.

import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";

/** A whole number from 1 to a limit. */
export const count = (limit: "samples_max" | "generations_verify_max") =>
  z
    .int()
    .min(1)
    .max(...bound(limit));

/** Samples until the majority of a pair is sure. */
export const SamplesSchema = z
  .strictObject({
    min: count("samples_max").default(1),
    max: count("samples_max"),
    stop: z
      .enum(["majority", "confidence"])
      .default("confidence")
      .meta(
        said(
          "`majority`: once no further verdict can change it; `confidence`: once P(Beta(v1 + 1, v2 + 1) > 1/2) reaches `confidence`",
        ),
      ),
    confidence: z.number().gt(0.5).lt(1).default(0.95),
  })
  .refine(({ min, max }) => min <= max, { path: ["min"], message: "min must be at most max" });

/** Tokens of one answer at most. */
export const tokens = z
  .int()
  .min(1)
  .max(...bound("max_tokens_max"));

/** Tokens of an answer where the spec says nothing of it. */
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
      .meta(said("generated tokens; what is asked may take max_tokens each")),
    ratio: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .meta(said("of what all pairs would take; at least one pair for everyone")),
  })
  .refine((budget) => Object.keys(budget).length === 1, "needs exactly one of generations, tokens and ratio")
  .meta({
    ...said("of a group's comparisons; what it does not pay is `unasked`. Default: none"),
    minProperties: 1,
    maxProperties: 1,
  });
