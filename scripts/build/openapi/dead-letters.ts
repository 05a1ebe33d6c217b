// Schemas of replies about dead letters, for the OpenAPI document.
import * as z from "zod";
import type { DeadLetterSummary, ExpiryOutcome, ReplayOutcome } from "../../../src/core/contract/dead-letter.ts";

const count = z.int().min(0);
const time = z.string().meta({ format: "date-time" });

export const DeadLetterSummarySchema = z.object({
  letters: count,
  bytes: count.meta({ description: "total size of the letters, in characters" }),
  first_at: time.nullable(),
  last_at: time.nullable(),
  reasons: z.array(z.object({ reason: z.string(), letters: count })),
}) satisfies z.ZodType<DeadLetterSummary>;
export const ReplayOutcomeSchema = z.object({
  replayed: count,
  remaining: count.meta({ description: "number of letters from before `before` that still have to be put back" }),
  before: time,
}) satisfies z.ZodType<ReplayOutcome>;
export const ExpiryOutcomeSchema = z.object({
  deleted: count,
  remaining: count.meta({ description: "number of letters that remain" }),
}) satisfies z.ZodType<ExpiryOutcome>;
