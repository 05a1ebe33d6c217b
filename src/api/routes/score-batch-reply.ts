// The reply to POST /v1/score_batch, which is sent directly or as the result of a batch.

import * as z from "zod";
import { said } from "#said";
import type { GroupResult, RolloutResult } from "../../core/contract/group-reply.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";

const value = z.number().nullable();
const perItem = z.array(value);

export const ScoreBatchReplySchema = z.object({
  request_id: z.string(),
  run_id: z.string().nullable(),
  step: z.int().nullable(),
  spec_hash: z.string(),
  rewards: perItem.meta(said("rewards in the order of `completions`; also under `response_field`, if given")),
  metrics: z.object({
    reward_mean: value,
    reward_std: value,
    parse_rate: value,
    tau_b_mean: value,
    list_acc: value,
    scored: z.int(),
    failed: z.int(),
    groups: z.int(),
    generations: z.int(),
    verifier_ms: z.number(),
    total_ms: z.number(),
  }),
  columns: z.object({
    group: z.array(z.int()),
    error: z.array(z.string().nullable()),
    fallback: z.array(z.union([z.literal(0), z.literal(1)])),
    base: perItem.optional(),
    format: perItem.optional(),
    overlong: perItem.optional(),
    wins: z.array(z.int()),
    losses: z.array(z.int()),
    ties: z.array(z.int()),
    undecided: z.array(z.int()),
    rank: z.array(z.int().nullable()),
  }),
  components: z
    .record(z.string(), perItem)
    .optional()
    .meta(said("each signal's values, instead of `base`, `format` and `overlong`; only if the spec has signals")),
  reward_range: z.tuple([z.number(), z.number()]).optional(),
  logged: z.union([z.boolean(), z.literal("queued")]),
  warnings: z.array(z.string()),
});
type ScoreBatchReply = z.output<typeof ScoreBatchReplySchema>;

/** What is needed in addition to the scores to build the reply; stored together with a batch. */
export interface BatchShape {
  /** The group and position of each completion in the native request. */
  places: readonly { group: number; member: number }[];
  on_failure: number | null;
  /** Name of an additional field that repeats the rewards; `rewards` if there is none. */
  field: string;
}

/** The schema of the reply, including the additional field for the rewards. */
export const shapeSchema = ({ field }: BatchShape) => ScoreBatchReplySchema.extend({ [field]: perItem });

/** Converts the native reply to the reply of this route. */
export function shapedReply(reply: RewardsReply, { places, on_failure, field }: BatchShape): Record<string, unknown> {
  const answer = batchReply(reply, places, on_failure);
  return field === "rewards" ? answer : { ...answer, [field]: answer.rewards };
}

function batchReply(reply: RewardsReply, places: BatchShape["places"], onFailure: number | null): ScoreBatchReply {
  const results = places.map(({ group, member }) => reply.groups[group]?.rollouts[member] as RolloutResult);
  const each = <T>(read: (result: RolloutResult) => T) => results.map(read);
  const failed = results.filter(({ reward }) => reward === null).length;
  const { request_id, run_id, step, spec_hash, logged, warnings } = reply;
  return {
    request_id,
    run_id,
    step,
    spec_hash,
    rewards: each(({ reward }) => reward ?? onFailure),
    metrics: batchMetrics(reply, results.length - failed, failed),
    columns: {
      group: places.map(({ group }) => group),
      error: each(({ error }) => error),
      fallback: each(({ reward }) => (reward === null && onFailure !== null ? 1 : 0)),
      ...(reply.reward_range === undefined && columnsOf(results)),
      wins: each(({ wins }) => wins),
      losses: each(({ losses }) => losses),
      ties: each(({ ties }) => ties),
      undecided: each(({ undecided }) => undecided),
      rank: each(({ rank }) => rank),
    },
    ...(reply.reward_range !== undefined && { components: columnsOf(results), reward_range: reply.reward_range }),
    logged,
    warnings,
  };
}

/** The values of each signal, in the order of the batch. */
function columnsOf(results: readonly RolloutResult[]): Record<string, (number | null)[]> {
  const names = Object.keys(results[0]?.components ?? {});
  return Object.fromEntries(names.map((name) => [name, results.map(({ components }) => components[name] ?? null)]));
}

/** The metrics of the batch, without fallback rewards. All names are always present; values may be null. */
function batchMetrics(reply: RewardsReply, scored: number, failed: number): ScoreBatchReply["metrics"] {
  const { reward_mean, reward_std, parse_rate, tau_b_mean, list_acc } = reply.metrics;
  const generations = reply.groups.reduce((sum, { verifier }: GroupResult) => sum + verifier.generations, 0);
  const counts = { scored, failed, groups: reply.groups.length, generations };
  const times = { verifier_ms: reply.timing_ms.verifier, total_ms: reply.timing_ms.total };
  return { reward_mean, reward_std, parse_rate, tau_b_mean, list_acc, ...counts, ...times };
}
