// The shape of what an evaluation of a verifier comes to.
import * as z from "zod";

const count = z.int().min(0);
const numberOrNull = z.number().nullable();

export const EstimateSchema = z.object({
  mean: numberOrNull,
  ci95: z.tuple([z.number(), z.number()]).nullable(),
  n: count,
});

export const EvaluationSummarySchema = z.object({
  list_acc: EstimateSchema,
  tau_b: EstimateSchema.extend({ undefined: count, mean_zero: numberOrNull, mean_minus_one: numberOrNull }),
  parse_rate: EstimateSchema,
});
export type EvaluationSummary = z.output<typeof EvaluationSummarySchema>;
