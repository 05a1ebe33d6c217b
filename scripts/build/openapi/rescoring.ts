// Owns the description of what is made of a run's logged signals for the OpenAPI document: scoring
// it again, weights for its judges.
import * as z from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { OwnerQuerySchema } from "../../../src/api/http/owned.ts";
import { EnsembleRequestSchema } from "../../../src/api/routes/ensembles.ts";
import { RescoreRequestSchema } from "../../../src/api/routes/rescore.ts";
import { RunIdSchema } from "../../../src/core/contract/requests.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { type EnsembleFit, FIT_REASONS, type JudgeFit } from "../../../src/core/signals/ensemble.ts";
import type { ReplaySummary, RewardsSummary } from "../../../src/core/signals/replay/summary.ts";
import * as examples from "./examples.ts";
import { queryOf } from "./parameters.ts";
import { body, json, problems } from "./words.ts";

const count = z.int().min(0);
const rate = z.number().nullable();
const rewards = z.array(rate);

const RewardsSummarySchema = z.object({
  mean: rate,
  std: rate.meta({ description: "of the population" }),
  zero_variance_share: rate.meta({ description: "share of groups whose rewards are all equal" }),
  nulls: count.meta({ description: "rollouts without a reward, of all groups" }),
}) satisfies z.ZodType<RewardsSummary>;

const ReplaySummarySchema = z.object({
  groups: count,
  rollouts: count,
  complete: count.meta({
    description: "groups with a reward for every rollout under both specs: the rest is of these",
  }),
  old: RewardsSummarySchema,
  new: RewardsSummarySchema,
  rank_correlation: z.object({
    kind: z.literal("kendall_tau_b"),
    mean: rate.meta({ description: "of old and new rewards within a group, over groups" }),
    groups: count,
    undefined: count.meta({ description: "groups whose rewards are all equal under one of them" }),
  }),
  best_changed_share: rate.meta({
    description: "share of groups in which none that had the highest reward has it still",
  }),
}) satisfies z.ZodType<ReplaySummary>;

export const RescoreLineSchema = z.union([
  z.object({
    type: z.literal("group"),
    group_id: z.string(),
    step: count.nullable(),
    rewards,
    errors: z.array(z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]).nullable()),
    columns: z.record(z.string(), rewards).meta({ description: "each signal's values" }),
    old: rewards.meta({ description: "the rewards as they were logged" }),
  }),
  ReplaySummarySchema.extend({ type: z.literal("end"), spec_hash: z.string() }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string(), groups: count, request_id: z.string() }),
]);

const owner = z.string().nullable().meta({ description: "the name of the key that wrote it" });
const JudgeFitSchema = z.object({
  weight: z.number(),
  loading: rate.meta({ description: "its correlation with what the judges measure together, by the model" }),
  loading_se: rate,
  agreement: rate.meta({ description: "mean correlation with the others within groups" }),
  std: z.number().meta({ description: "within groups" }),
  nulls: count,
  signal: z.enum(["ok", "none", "against"]),
}) satisfies z.ZodType<JudgeFit>;

export const EnsembleReplySchema = z.object({
  run_id: z.string(),
  owner,
  groups: count,
  rollouts: count.meta({ description: "for which every judge has a value" }),
  judges: z.record(z.string(), JudgeFitSchema),
  reliability: z
    .object({ weighted: z.number(), mean: z.number(), gain: z.number(), gain_se: z.number() })
    .nullable()
    .meta({
      description: "the correlation with what the judges measure, by the model, of the weighted sum and of the mean",
    }),
  residual: z
    .object({ judges: z.tuple([z.string(), z.string()]), correlation: z.number() })
    .nullable()
    .meta({ description: "the pair that the model fits worst; null below four judges" }),
  better: z.boolean().meta({ description: "whether the weights are to be preferred to the mean" }),
  reasons: z.array(z.enum(FIT_REASONS)),
  weighted: z
    .string()
    .nullable()
    .meta({ description: "the weighted sum, better or not; null where nothing was fitted" }),
  expression: z
    .string()
    .meta({ description: "for a spec's `reward`: the weighted sum where it is better, else the mean" }),
}) satisfies z.ZodType<EnsembleFit>;

export const rescoringPaths: ZodOpenApiPathsObject = {
  "/v1/ensembles/fit": {
    post: {
      operationId: "fitEnsemble",
      tags: ["Run log"],
      summary: "Weights for several judges of a run, without labels",
      description:
        "Fits how well each judge measures what they all measure from how they agree within groups (one-factor model), and says whether the weighted sum is better than the plain mean, or why not. Errors of the judges must be independent. What it gains and where it does not: docs/ensembles.md.",
      requestParams: { query: queryOf(OwnerQuerySchema) },
      requestBody: body(EnsembleRequestSchema, examples.ensembleRequest),
      responses: { "200": json("Fitted.", EnsembleReplySchema), ...problems(400, 401, 404, 408, 413, 415, 503) },
    },
  },
  "/v1/runs/{run_id}/rescore": {
    post: {
      operationId: "rescoreRun",
      tags: ["Run log"],
      summary: "A run's rewards under another spec, without a verifier",
      description:
        "Reads the run's logged signals and verdicts: another expression, other scores of a tournament, another penalty, other lengths. One `group` line a group, oldest first, and one `end` line last; a stream without it was cut. What needs verdicts, texts or facts that are not logged is refused with `needs_judging`, naming the signal. The rewards are those of scoring anew with the same verdicts, bit for bit.",
      requestParams: {
        path: z.object({ run_id: RunIdSchema.meta({ description: "The trainer's name of the run" }) }),
        query: queryOf(OwnerQuerySchema),
      },
      requestBody: body(RescoreRequestSchema, examples.rescoreRequest),
      responses: {
        "200": {
          description: "Groups as they are scored, then what they come to.",
          content: { "application/x-ndjson": { schema: RescoreLineSchema } },
        },
        ...problems(400, 401, 404, 408, 413, 415, 422, 503),
      },
    },
  },
};
