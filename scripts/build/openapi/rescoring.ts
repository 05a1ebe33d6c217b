// Schema of the lines of a rescoring, for the OpenAPI document.
import * as z from "zod";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { ReplaySummary, RewardsSummary } from "../../../src/core/reward/replay/summary.ts";

const count = z.int().min(0);
const rate = z.number().nullable();
const rewards = z.array(rate);

const RewardsSummarySchema = z.object({
  mean: rate,
  std: rate.meta({ description: "population standard deviation of the rewards; null if there are no complete groups" }),
  zero_variance_share: rate.meta({
    description: "share of complete groups whose rewards are all equal; null if there are none",
  }),
  nulls: count.meta({ description: "number of rollouts without a reward, over all groups" }),
}) satisfies z.ZodType<RewardsSummary>;

const ReplaySummarySchema = z.object({
  groups: count,
  rollouts: count,
  complete: count.meta({
    description:
      "number of groups in which every rollout has a reward under both specs; the other statistics cover only these groups",
  }),
  old: RewardsSummarySchema,
  new: RewardsSummarySchema,
  rank_correlation: z.object({
    kind: z.literal("kendall_tau_b"),
    mean: rate.meta({ description: "mean over groups; null if the correlation is undefined in all groups" }),
    groups: count,
    undefined: count.meta({ description: "number of groups whose old or new rewards are all equal" }),
  }),
  best_changed_share: rate.meta({
    description:
      "share of groups in which no rollout with the highest old reward has the highest new reward; null if there are no complete groups",
  }),
}) satisfies z.ZodType<ReplaySummary>;

export const RescoreLineSchema = z.union([
  z.object({
    type: z.literal("group"),
    group_id: z.string(),
    step: count.nullable(),
    rewards,
    errors: z.array(z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]).nullable()),
    columns: z.record(z.string(), rewards).meta({ description: "values of each signal, one per rollout" }),
    old: rewards.meta({ description: "logged reward of each rollout; null if it had none" }),
  }),
  ReplaySummarySchema.extend({ type: z.literal("end"), spec_hash: z.string() }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string(), groups: count, request_id: z.string() }),
]);
