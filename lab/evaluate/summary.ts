// The shape of summary.json, `kritai-evaluation/1`: one verifier's figures over one set. Knows neither how
// they are computed nor how they are shown.
import * as z from "zod";
import { SPLITS } from "../testbed/format/set-format.ts";
import { FORMULATIONS } from "./asking/cells.ts";
import { WrongListSchema } from "./asking/wrong-lists.ts";
import { EstimateSchema, EvaluationSummarySchema } from "./figures/evaluation-summary.ts";
import { PointSchema } from "./pareto.ts";

const count = z.int().min(0);
const numberOrNull = z.number().nullable();

/** Outcomes of lists: `no_selection` = nothing parsed, which ListAcc counts as wrong. */
const OutcomesSchema = z.object({ right: count, wrong: count, no_selection: count });
export type Outcomes = z.output<typeof OutcomesSchema>;

/**
 * A problem's lists: which were right, and `tau_b` of those that have one. Missing in
 * summaries of older versions.
 */
const ProblemSchema = OutcomesSchema.extend({
  right_lists: z.record(z.string(), z.boolean()).default({}),
  tau_b: z.record(z.string(), z.number()).default({}),
});
export type ProblemOutcomes = z.output<typeof ProblemSchema>;

export const CellSummarySchema = EvaluationSummarySchema.extend({
  cell: z.string(),
  formulation: z.enum(FORMULATIONS),
  k: count,
  both_orders: z.boolean(),
  spec_hash: z.string().nullable(),
  /** Lists behind the figures: all generations answered. */
  lists: count,
  /** Lists with a missing generation, by code: in no figure, asked again by the next run. */
  failed: z.record(z.string(), count),
  /** Lists not asked yet: the run was stopped. */
  missing: count,
  /** ListAcc if every failed list were wrong. */
  list_acc_if_failed_wrong: numberOrNull,
  outcomes: OutcomesSchema,
  by_tag: z.record(z.string(), z.record(z.string(), EvaluationSummarySchema.extend({ outcomes: OutcomesSchema }))),
  by_problem: z.record(z.string(), ProblemSchema),
  position_flip_rate: EstimateSchema.nullable(),
  /** ListAcc over the lists with the widest margins; missing in summaries of older versions. */
  coverage: z.array(z.object({ share: z.number(), list_acc: EstimateSchema, margin: numberOrNull })).default([]),
  area_under_risk: numberOrNull.default(null),
  comparisons: count,
  generations: count,
  prompt_tokens: count,
  completion_tokens: count,
  tokens_per_list: numberOrNull,
  dollars_per_1000_lists: numberOrNull,
  warnings: z.array(z.string()),
});
export type CellSummary = z.output<typeof CellSummarySchema>;

const MetricsSchema = EvaluationSummarySchema.pick({ list_acc: true, tau_b: true });

export const ModificationSummarySchema = z.object({
  modification: z.string(),
  kept: z.boolean().nullable(),
  /** Lists with a selection both before and after. */
  compared: count,
  /** The other lists: nothing was selected on one side, or an answer is missing. */
  not_compared: count,
  to_incorrect: count,
  to_correct: count,
  /** From one wrong candidate to another. */
  wrong_to_wrong: count,
  bias_influence_ratio: EstimateSchema,
  /** Over the lists answered both before and after; missing in summaries of older versions. */
  metrics: z
    .object({
      before: MetricsSchema,
      after: MetricsSchema,
      /** After less before, list by list. */
      change: z.object({ list_acc: EstimateSchema, tau_b: EstimateSchema }),
    })
    .optional(),
});
export type ModificationSummary = z.output<typeof ModificationSummarySchema>;

export const AdversarialSummarySchema = z.object({
  cell: z.string(),
  rows: z.array(ModificationSummarySchema),
  /** As of a cell; absent in summaries of before they were counted. */
  failed: z.record(z.string(), count).default({}),
  missing: count.default(0),
});
export type AdversarialSummary = z.output<typeof AdversarialSummarySchema>;

export const SummarySchema = z.object({
  format: z.literal("kritai-evaluation/1"),
  name: z.string(),
  target: z.string(),
  at: z.string(),
  commit: z.string(),
  command: z.string(),
  complete: z.boolean(),
  set: z.object({
    name: z.string(),
    sha256: z.string(),
    split: z.enum([...SPLITS, "all"]),
    lists: count,
    problems: count,
    adversarial_lists: count,
    /** The value of guessing: the mean of 1/n over the lists. */
    chance_list_acc: z.number(),
  }),
  settings: z.object({ seed: count, bootstrap: count, tau_candidates_min: count, spec: z.unknown() }),
  price: z.object({ gpu_hour: z.number(), gpus: count, tokens_per_second: z.number() }).nullable(),
  cells: z.array(CellSummarySchema),
  adversarial: AdversarialSummarySchema.nullable(),
  /** The cells as points on the front, with those of `--points`. */
  points: z.array(PointSchema),
  /** Missing in summaries of older versions. */
  wrong: z.array(WrongListSchema).default([]),
});
export type Summary = z.output<typeof SummarySchema>;
