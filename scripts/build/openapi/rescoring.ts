// Owns the description of scoring a run's logged signals again for the OpenAPI document.
import * as z from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { OwnerQuerySchema } from "../../../src/api/http/owned.ts";
import { RescoreRequestSchema } from "../../../src/api/routes/rescore.ts";
import { RunIdSchema } from "../../../src/core/contract/requests.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { ReplaySummary, RewardsSummary } from "../../../src/core/signals/replay/summary.ts";
import * as examples from "./examples.ts";
import { queryOf } from "./parameters.ts";
import { body, problems } from "./words.ts";

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

export const rescoringPaths: ZodOpenApiPathsObject = {
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
