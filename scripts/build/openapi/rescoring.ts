// The schema of a run's logged signals scored again, for the OpenAPI document.
import * as z from "zod";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { ReplaySummary, RewardsSummary } from "../../../src/core/reward/replay/summary.ts";

const count = z.int().min(0);
const rate = z.number().nullable();
const rewards = z.array(rate);

const RewardsSummarySchema = z.object({
  mean: rate,
  std: rate.meta({ description: "of the population" }),
  zero_variance_share: rate.meta({ description: "share of groups with equal rewards" }),
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
