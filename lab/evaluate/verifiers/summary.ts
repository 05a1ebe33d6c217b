// The shapes of what a benchmark's run writes: summary.json, `kritai-verifier/1`, and a line of items.jsonl.
// Knows neither how figures are computed nor how they are shown.
import * as z from "zod";
import { EstimateSchema } from "../figures/evaluation-summary.ts";

export const VERIFIER_FORMAT = "kritai-verifier/1";

const count = z.int().min(0);

export const VerifierSummarySchema = z.object({
  format: z.literal(VERIFIER_FORMAT),
  name: z.string(),
  layout: z.string(),
  target: z.string(),
  at: z.string(),
  commit: z.string(),
  command: z.string(),
  complete: z.boolean(),
  rows: z.object({ files: z.array(z.string()), sha256: z.string(), items: count, problems: count }),
  /** Rows that were not asked about, by reason. */
  left_out: z.record(z.string(), count),
  settings: z.object({ threshold: z.number(), raw: z.boolean(), seed: count, bootstrap: count, spec: z.unknown() }),
  spec_hash: z.string().nullable(),
  /** Items with a full answer, and those that failed, by code: these are in no figure. */
  answered: count,
  failed: z.record(z.string(), count),
  missing: count,
  main: z.object({ name: z.string(), value: EstimateSchema }),
  figures: z.record(z.string(), EstimateSchema),
  use: z.object({ generations: count, prompt_tokens: count, completion_tokens: count }),
});
export type VerifierSummary = z.output<typeof VerifierSummarySchema>;

export const ItemLineSchema = z.object({
  id: z.string(),
  problem: z.string(),
  subset: z.string(),
  difficulty: z.string().nullable(),
  generator: z.string().nullable(),
  label: z.string(),
  said: z.string().nullable(),
  credit: z.number(),
  margin: z.number().nullable(),
  rewards: z.array(z.number().nullable()),
});
export type ItemLine = z.output<typeof ItemLineSchema>;
