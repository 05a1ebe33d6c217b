// How a group used the verifier, as replies state it.
import * as z from "zod";
import { said } from "#said";
import { count } from "./reply-numbers.ts";

export const LatencySchema = z.object({ p50: z.number(), p99: z.number(), max: z.number() });

export const VerifierUseSchema = z.object({
  comparisons: count,
  generations: count,
  parsed: count,
  unparsed: count,
  cut: count
    .optional()
    .meta(
      said(
        "number of `unparsed` answers that ended at the token limit (`judge.max_tokens` or the context); omitted if none",
      ),
    ),
  failed: count,
  saved: count,
  prompt_tokens: count,
  completion_tokens: count,
  latency_ms: LatencySchema,
  models: z
    .array(z.string())
    .meta(said("names of the models that answered; more than one only if backends were mixed")),
  schedule: z
    .union([z.string(), z.looseObject({ name: z.string() })])
    .optional()
    .meta(said("schedule that selected the comparisons")),
  chosen: z
    .object({ score: z.string() })
    .optional()
    .meta(said("score that `auto` chose for this group; omitted with other scores")),
  why: z
    .object({
      early_stop: count,
      duplicate: count,
      budget: count,
      sure: count,
      deadline: count
        .optional()
        .meta(said("comparisons cut off by the deadline, if `min_decided` < 1; omitted if none")),
    })
    .optional()
    .meta(said("number of generations not asked, by reason")),
});

export type VerifierUse = z.output<typeof VerifierUseSchema>;
