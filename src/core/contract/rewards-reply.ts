// The reply to POST /v1/rewards, whole or as a stream of events.
import * as z from "zod";
import { said } from "#said";
import { GroupResultSchema } from "./group-reply.ts";
import { count, numberOrNull } from "./reply-numbers.ts";
import { VerifierUseSchema } from "./verifier-use.ts";

export const BatchMetricsSchema = z.object({
  parse_rate: numberOrNull,
  tau_b_mean: numberOrNull,
  tau_b_undefined: count,
  list_acc: numberOrNull,
  reward_mean: numberOrNull,
  reward_std: numberOrNull,
});

export type BatchMetrics = z.output<typeof BatchMetricsSchema>;

export const TimingSchema = z.object({ total: z.number(), verifier: z.number(), overhead: z.number() });

export const LoggedSchema = z.union([z.boolean(), z.literal("queued")]);

const tail = {
  request_id: z.string(),
  run_id: z.string().nullable(),
  step: count.nullable(),
  spec_hash: z.string(),
  metrics: BatchMetricsSchema,
  timing_ms: TimingSchema,
  logged: LoggedSchema,
  warnings: z.array(z.string()),
};

/** Counts of the audit's questions in one request, and how well the audit agrees with the rewards. */
const AuditUseSchema = z.object({
  groups: count.meta(said("number of groups selected for the audit")),
  audited: count.meta(said("number of groups whose whole audit finished before the deadline")),
  correlation: numberOrNull.meta(
    said(
      "mean Spearman correlation of reward and audit within each audited group; null if it is undefined in all groups",
    ),
  ),
  ...VerifierUseSchema.pick({
    comparisons: true,
    generations: true,
    parsed: true,
    unparsed: true,
    failed: true,
    saved: true,
    prompt_tokens: true,
    completion_tokens: true,
  }).shape,
});

export type AuditUse = z.output<typeof AuditUseSchema>;

const CostUseSchema = z.object({
  calls: count.meta(said("requests to verifiers, excluding the audit's")),
  prompt_tokens: count.meta(said("input tokens of verifiers, including the audit's")),
  usd: numberOrNull.meta(
    said("US dollars at the prices in `PRICES`; null if any tokens are from a model without a price"),
  ),
  unpriced_tokens: count.meta(said("tokens of models without a price")),
});

export type CostUse = z.output<typeof CostUseSchema>;

const ofSignals = {
  reward_range: z
    .tuple([z.number(), z.number()])
    .optional()
    .meta(said("for a spec with signals: proven bounds on every reward")),
  signals: z
    .record(z.string(), z.record(z.string(), numberOrNull))
    .optional()
    .meta(said("metrics of each signal over the request, by the signal's name")),
  columns: z
    .record(z.string(), z.array(z.array(numberOrNull)))
    .optional()
    .meta(said("values of each signal, in the shape of `rewards`; only if requested by `columns`")),
  audit: AuditUseSchema.optional().meta(
    said("counts of the audit's questions, which no other count includes; only if the spec has `audit`"),
  ),
  cost: CostUseSchema.optional().meta(said("cost of the request's questions; only if `PRICES` is set")),
};

export const RewardsReplySchema = z.object({
  ...tail,
  rewards: z.array(z.array(numberOrNull)),
  ...ofSignals,
  groups: z.array(GroupResultSchema),
});

export type RewardsReply = z.output<typeof RewardsReplySchema>;

/** One line of the NDJSON stream of POST /v1/rewards. `index` is the group's index in the request. */
export const RewardsEventSchema = z.discriminatedUnion("type", [
  GroupResultSchema.extend({ type: z.literal("group"), index: count }),
  z.object({ type: z.literal("heartbeat"), groups_done: count, groups: count }),
  z.object({ type: z.literal("done"), ...tail, ...ofSignals }),
  z.object({
    type: z.literal("error"),
    code: z.string(),
    detail: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
  }),
]);

export type RewardsEvent = z.output<typeof RewardsEventSchema>;
