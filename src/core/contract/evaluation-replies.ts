// Owns the wire shapes of what an evaluation of verifiers comes to.
import * as z from "zod";

const count = z.int().min(0);
const numberOrNull = z.number().nullable();

const EstimateSchema = z.object({ mean: numberOrNull, ci95: z.tuple([z.number(), z.number()]).nullable(), n: count });
const TauEstimateSchema = EstimateSchema.extend({
  undefined: count,
  mean_zero: numberOrNull,
  mean_minus_one: numberOrNull,
});
export const EvaluationSummarySchema = z.object({
  list_acc: EstimateSchema,
  tau_b: TauEstimateSchema,
  parse_rate: EstimateSchema,
});
export type EvaluationSummary = z.output<typeof EvaluationSummarySchema>;

export const EvaluationsReplySchema = EvaluationSummarySchema.extend({
  request_id: z.string(),
  lists: count,
  by_tag: z.record(z.string(), z.record(z.string(), EvaluationSummarySchema)),
  warnings: z.array(z.string()),
});
export type EvaluationsReply = z.output<typeof EvaluationsReplySchema>;
