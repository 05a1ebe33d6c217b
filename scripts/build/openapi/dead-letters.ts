// The schemas of the replies about dead letters, for the OpenAPI document.
import * as z from "zod";
import type { DeadLetterSummary, ExpiryOutcome, ReplayOutcome } from "../../../src/core/contract/dead-letter.ts";

const count = z.int().min(0);
const time = z.string().meta({ format: "date-time" });

export const DeadLetterSummarySchema = z.object({
  letters: count,
  bytes: count.meta({ description: "characters of all letters together" }),
  first_at: time.nullable(),
  last_at: time.nullable(),
  reasons: z.array(z.object({ reason: z.string(), letters: count })),
}) satisfies z.ZodType<DeadLetterSummary>;
export const ReplayOutcomeSchema = z.object({
  replayed: count,
  remaining: count.meta({ description: "letters up to `before` that are left" }),
  before: time,
}) satisfies z.ZodType<ReplayOutcome>;
export const ExpiryOutcomeSchema = z.object({
  deleted: count,
  remaining: count.meta({ description: "letters that are left" }),
}) satisfies z.ZodType<ExpiryOutcome>;
