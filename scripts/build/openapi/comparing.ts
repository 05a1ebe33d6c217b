// Owns the schema of two runs compared, for the OpenAPI document.
import * as z from "zod";
import type { PairedDifference } from "../../../src/core/health/paired-runs.ts";
import { owner } from "./log.ts";

const count = z.int().min(0);
const rate = z.number().nullable();

const PairedDifferenceSchema = z.object({
  prompts: count.meta({ description: "of which both runs have a value" }),
  one: rate.meta({ description: "mean over these prompts of a prompt's mean in the run of the path" }),
  other: rate.meta({ description: "the same in the other run" }),
  difference: rate.meta({ description: "`one` less `other`" }),
  ci95: z
    .tuple([z.number(), z.number()])
    .nullable()
    .meta({ description: "95 % bootstrap interval that draws whole prompts; null of fewer than two" }),
}) satisfies z.ZodType<PairedDifference>;

export const ComparedRunsSchema = z.object({
  run_id: z.string(),
  owner,
  with: z.object({ run_id: z.string(), owner }).meta({ description: "the other run" }),
  by: z.enum(["step", "window"]).meta({ description: "what a step is: where a run has none, a window of its groups" }),
  window_groups: count.nullable().meta({ description: "groups of a window; null by step" }),
  steps: z.array(count).meta({ description: "steps of which both have groups and that were read, ascending" }),
  spec_hashes: z
    .array(z.string())
    .meta({ description: "specs that scored them; of several, rewards differ by that too" }),
  rewards: PairedDifferenceSchema.meta({ description: "of rewards of complete groups" }),
  tau_b: PairedDifferenceSchema.meta({ description: "of Kendall's tau-b with the labels, where labels came" }),
});
