// Owns what a judge may spend inside a pair and on a group: samples until sure, a budget.
import * as z from "zod";
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
    stop: z.enum(["majority", "confidence"]).default("confidence").meta({
      description:
        "`majority`: once no further verdict can change it; `confidence`: once P(Beta(v1 + 1, v2 + 1) > 1/2) reaches `confidence`",
    }),
    confidence: z.number().gt(0.5).lt(1).default(0.95),
  })
  .refine(({ min, max }) => min <= max, { path: ["min"], message: "min must be at most max" });

const tokens = z
  .int()
  .min(1)
  .max(...bound("max_tokens_max"));

/** Tokens of an answer where the spec says nothing of it. */
const MAX_TOKENS_DEFAULT = 16_384;

export const MaxTokensSchema = tokens.optional().meta({ default: MAX_TOKENS_DEFAULT });

/** Tokens of an answer at first, and where that brought no verdict or a close one. */
export const ThinkSchema = z
  .strictObject({
    first: tokens.meta({ description: "max_tokens of the first asking" }),
    then: tokens
      .optional()
      .meta({ description: "max_tokens of the second, more than `first`. Default: the judge's `max_tokens`" }),
  })
  .meta({
    description:
      "asks each comparison with few tokens, and with all of them only where that brought no verdict or a close one (docs/schedules.md)",
  });

/** The canonical form of both: each says the most tokens where the other does not. */
export function answerTokens(
  max_tokens: number | undefined,
  think: z.output<typeof ThinkSchema> | undefined,
): { max_tokens: number; think?: { first: number; then: number } } {
  const most = max_tokens ?? think?.then ?? MAX_TOKENS_DEFAULT;
  if (think === undefined) return { max_tokens: most };
  return { max_tokens: most, think: { first: think.first, then: think.then ?? most } };
}

export const BudgetSchema = z
  .strictObject({
    generations: count("generations_verify_max").optional(),
    tokens: z
      .int()
      .min(1)
      .max(...bound("integer_max"))
      .optional()
      .meta({ description: "generated tokens; what is asked may take max_tokens each, with `think` both its askings" }),
    ratio: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .meta({ description: "of what all pairs would take; at least one pair for everyone" }),
  })
  .refine((budget) => Object.keys(budget).length === 1, "needs exactly one of generations, tokens and ratio")
  .meta({
    description: "of a group's comparisons; what it does not pay is `unasked`. Default: none",
    minProperties: 1,
    maxProperties: 1,
  });
