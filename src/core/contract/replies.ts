// The wire shapes of the native routes' replies. Requests: requests.ts.
import * as z from "zod";
import { said } from "#said";
import { ITEM_ERRORS, type ItemErrorCode } from "../faults/errors.ts";

const count = z.int().min(0);
const numberOrNull = z.number().nullable();
const share = z.number().min(0).max(1);
const ItemErrorSchema = z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]);

export const TAU_UNDEFINED = ["no_labels", "too_few", "tied_wins", "tied_labels", "undecided"] as const;
export type TauUndefined = (typeof TAU_UNDEFINED)[number];

export const RolloutResultSchema = z.object({
  reward: numberOrNull,
  error: ItemErrorSchema.nullable(),
  retryable: z
    .boolean()
    .optional()
    .meta(said("of a reward that is null: whether the same request, sent again, may bring it; else absent")),
  components: z
    .record(z.string(), numberOrNull)
    .meta(
      said("the value of each signal; of a spec without signals: base (null where the reward is), format, overlong"),
    ),
  errors: z
    .record(z.string(), ItemErrorSchema.nullable())
    .optional()
    .meta(said("of a spec with signals: why a signal has no value")),
  details: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .meta(said("what a signal tells besides the value; `turns`: how many verdicts named which turn of the run")),
  wins: count,
  losses: count,
  ties: count,
  undecided: count,
  unasked: count
    .optional()
    .meta(said("pairs that the schedule or the budget left out; absent where every pair is asked")),
  forfeits: count,
  unparsed: count,
  votes: count.nullable(),
  rank: z.int().min(1).nullable(),
  duplicate_of: count.nullable(),
  format_ok: z.boolean(),
  too_long: z
    .literal(true)
    .optional()
    .meta(said("the text is longer than rollout_text_bytes, so that the rollout is malformed; else absent")),
  shown: share
    .optional()
    .meta(said("of a rollout of several turns: the share of its characters that the judge sees, thoughts apart")),
  left_out: z
    .record(z.string(), count)
    .optional()
    .meta(said("characters left out, by what they are: thoughts, results, turns, calls, files, other")),
  jams_judge: z.boolean().meta(said("the verifier's answers fail where this candidate is shown, and only there")),
});
export type RolloutResult = z.output<typeof RolloutResultSchema>;

export const LatencySchema = z.object({ p50: z.number(), p99: z.number(), max: z.number() });

export const VerifierUseSchema = z.object({
  comparisons: count,
  generations: count,
  parsed: count,
  unparsed: count,
  cut: count
    .optional()
    .meta(
      said("of `unparsed`: answers that ended at the token limit, `judge.max_tokens` or the context; absent: none"),
    ),
  failed: count,
  saved: count,
  prompt_tokens: count,
  completion_tokens: count,
  latency_ms: LatencySchema,
  models: z.array(z.string()).meta(said("the models that answered, by name; several only when backends were mixed")),
  schedule: z
    .union([z.string(), z.looseObject({ name: z.string() })])
    .optional()
    .meta(said("which schedule asked")),
  chosen: z
    .object({ score: z.string() })
    .optional()
    .meta(said("what the score `auto` chose for this group; absent with other scores")),
  why: z
    .object({
      early_stop: count,
      duplicate: count,
      budget: count,
      sure: count,
      deadline: count.optional().meta(said("comparisons cut by the deadline, of `min_decided` < 1; absent: none")),
    })
    .optional()
    .meta(said("generations not asked, and why")),
});
export type VerifierUse = z.output<typeof VerifierUseSchema>;

const GroupMetricsSchema = z.object({
  parse_rate: numberOrNull,
  tau_b: numberOrNull,
  tau_b_undefined: z.enum(TAU_UNDEFINED).nullable(),
  list_acc: z.boolean().nullable(),
  position_flip_rate: numberOrNull,
  reward_mean: numberOrNull,
  reward_std: numberOrNull,
  parts_correlation: numberOrNull
    .optional()
    .meta(
      said(
        "of a spec with signals: mean Spearman's correlation of each two signals that the reward names and that vary, as they are measured, over the rollouts that have all of them; null where fewer than two vary",
      ),
    ),
  cyclic: z.boolean().optional().meta(said("whether wins go in a circle")),
  agreement: numberOrNull
    .optional()
    .meta(said("mean share of a pair's verdicts, in either order, that say what most of them say")),
  tie_rate: numberOrNull.optional(),
  decided_rate: numberOrNull.optional().meta(said("share of the asked pairs that were decided")),
});
export type GroupMetrics = z.output<typeof GroupMetricsSchema>;

const POINTS = z
  .array(numberOrNull)
  .optional()
  .meta(said("wins, ties as halves and soft outcomes as they are, on the scale of all n - 1 pairs; tau_b is of these"));
export const GroupResultSchema = z.object({
  group_id: z.string(),
  status: z.enum(["ok", "partial", "failed"]),
  win_counts: z.array(count.nullable()),
  points: POINTS,
  selected: count.nullable(),
  selected_tied: z.array(count),
  rollouts: z.array(RolloutResultSchema),
  metrics: GroupMetricsSchema,
  verifier: VerifierUseSchema,
  positions: z
    .array(count)
    .optional()
    .meta(said("of a group that was filled by position: each rollout's; else absent")),
  early: count
    .optional()
    .meta(said("of such a group: generations that were asked before it was complete; else absent")),
  shared_turns: count
    .optional()
    .meta(said("turns that all rollouts of the group began with, shown once with the prompt; absent of texts")),
});
export type GroupResult = z.output<typeof GroupResultSchema>;

/** A group's fields for specs that leave pairs out, grade outcomes or score in another way. */
export interface TournamentReport {
  points: (number | null)[];
  /** One a rollout. */
  unasked: number[];
  measures: Pick<GroupMetrics, "cyclic" | "agreement" | "tie_rate" | "decided_rate">;
  asked: Pick<VerifierUse, "schedule" | "chosen" | "why">;
}

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
const LoggedSchema = z.union([z.boolean(), z.literal("queued")]);

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

/** The questions of a request's audit, and how far it agrees. */
const AuditUseSchema = z.object({
  groups: count.meta(said("groups that were to be audited")),
  audited: count.meta(said("those whose audit was in before the deadline, whole")),
  correlation: numberOrNull.meta(
    said("Spearman's, of reward and audit within each audited group, mean; null where none tells"),
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
  calls: count.meta(said("requests to verifiers, an audit's apart")),
  usd: numberOrNull.meta(said("US dollars by `PRICES`; null where tokens are of a model without a price")),
  unpriced_tokens: count.meta(said("tokens of models without a price")),
});
export type CostUse = z.output<typeof CostUseSchema>;

const ofSignals = {
  reward_range: z
    .tuple([z.number(), z.number()])
    .optional()
    .meta(said("of a spec with signals: where every reward lies, proved")),
  signals: z
    .record(z.string(), z.record(z.string(), numberOrNull))
    .optional()
    .meta(said("what a signal measured of itself over the request, by its name")),
  columns: z
    .record(z.string(), z.array(z.array(numberOrNull)))
    .optional()
    .meta(said("asked for by `columns`: each signal's values, shaped as `rewards`")),
  audit: AuditUseSchema.optional().meta(
    said("what the audit's judge was asked, apart from all other counts; only where the spec has `audit`"),
  ),
  cost: CostUseSchema.optional().meta(said("what the request's questions cost; only where `PRICES` is set")),
};

export const RewardsReplySchema = z.object({
  ...tail,
  rewards: z.array(z.array(numberOrNull)),
  ...ofSignals,
  groups: z.array(GroupResultSchema),
});
export type RewardsReply = z.output<typeof RewardsReplySchema>;

/**
 * One line of the NDJSON stream of POST /v1/rewards. `index` is the group's place in the request.
 */
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

export const VERDICT_STATUSES = [
  "ok",
  "no_box",
  "bad_content",
  "ambiguous",
  "out_of_range",
  "unclosed_think",
  "too_long",
] as const;
export type VerdictStatus = (typeof VERDICT_STATUSES)[number];

export const VerdictsReplySchema = z.object({
  request_id: z.string(),
  rewards: z.array(z.number()),
  items: z.array(
    z.object({
      reward: z.number(),
      components: z.object({ content: z.number(), format: z.number(), overlong: z.number() }),
      verdict: z.string().nullable().meta(said("the robust parser's letter, null unless status is ok")),
      scores: z.array(z.number()).nullable(),
      status: z.enum(VERDICT_STATUSES),
    }),
  ),
  metrics: z.object({
    parse_rate: z.number(),
    accuracy: numberOrNull,
    reward_mean: z.number(),
    reward_std: z.number(),
  }),
  logged: LoggedSchema,
  warnings: z.array(z.string()),
});
export type VerdictsReply = z.output<typeof VerdictsReplySchema>;
