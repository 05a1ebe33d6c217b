// The schemas of the run log's replies, for the OpenAPI document. Their truth is src/ports/ports.ts; the
// compiler holds the two together.
import * as z from "zod";
import { READING_STATUSES } from "../../../src/core/asking/readings.ts";
import type { StoredSignal, StoredText, StoredTurns } from "../../../src/core/contract/export-tables.ts";
import { BatchMetricsSchema, GroupResultSchema, TimingSchema } from "../../../src/core/contract/replies.ts";
import { RunMetadataSchema } from "../../../src/core/contract/run-metadata.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { AlarmSpan } from "../../../src/core/health/alarm.ts";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import { MEASURE_PAGES, MEASURES, type Unit } from "../../../src/core/health/measures.ts";
import type { Verdict } from "../../../src/core/judges/verdicts.ts";
import type {
  GroupRow,
  RequestRow,
  RunDetail,
  RunSummary,
  StepRow,
  StepSignal,
  StoredAuditVerdict,
  StoredVerdict,
} from "../../../src/ports/logged-rows.ts";

const count = z.int().min(0);
const rate = z.number().nullable();
const time = z.string().meta({ format: "date-time" });
const cursor = z
  .string()
  .nullable()
  .meta({ description: "send it as ?cursor= for the next page; null on the last one" });

export const owner = z.string().nullable().meta({ description: "the key's name; null: written without keys" });

export const RunSummarySchema = z.object({
  run_id: z.string(),
  owner,
  first_step: count.nullable(),
  last_step: count.nullable(),
  first_at: time,
  last_at: time,
  requests: count,
  groups: count,
  rollouts: count,
  reward_mean: rate,
  parse_rate: rate,
  prompt_tokens: count,
  completion_tokens: count,
}) satisfies z.ZodType<RunSummary>;

export const RunDetailSchema = RunSummarySchema.extend({
  metadata: RunMetadataSchema.nullable().meta({ description: "what PUT /v1/runs/:run_id said of it" }),
  specs: z.array(
    z.object({
      ...{ spec_hash: z.string(), spec: z.unknown(), requests: count, first_at: time },
      cut_share: rate.meta({ description: "of the judge's answers, those cut at the spec's token limit" }),
    }),
  ),
}) satisfies z.ZodType<RunDetail>;

const StepSignalSchema = z.object({
  mean: rate.meta({ description: "of its known values" }),
  rollouts: count.meta({ description: "all that it was to have a value for" }),
  nulls: z.record(z.string(), count).meta({ description: "those without a value, by code" }),
}) satisfies z.ZodType<StepSignal>;

export const StepRowSchema = z.object({
  step: count.nullable(),
  first_at: time.meta({ description: "when the first of its requests was logged" }),
  requests: count,
  groups: count,
  rollouts: count,
  reward_mean: rate,
  reward_std: rate,
  zero_variance_share: rate.meta({ description: "share of complete groups with equal rewards" }),
  parse_rate: rate,
  tau_b_mean: rate,
  list_acc: rate,
  length_tokens: z.object({ p50: rate, p95: rate }),
  shown_mean: z.number().exactOptional().meta({
    description: "mean share that judges saw of rollouts of several turns; absent without any",
  }),
  generations: count,
  prompt_tokens: count,
  completion_tokens: count,
  usd: z.number().exactOptional().meta({
    description: "US dollars that its questions cost; absent where that is not known of each of its requests",
  }),
  latency_ms: z.object({ p50: rate, p99: rate }),
  errors: z.record(z.string(), count),
  warnings: z.array(z.string()),
  signals: z.record(z.string(), StepSignalSchema).exactOptional().meta({
    description: "by name, with `signals=true`; `base`, `format` and `overlong` of a spec without signals",
  }),
}) satisfies z.ZodType<StepRow>;

export const GroupRowSchema = z.object({
  id: z.string().meta({ description: "<request_id>.<group index>" }),
  request_id: z.string(),
  run_id: z.string().nullable(),
  step: count.nullable(),
  spec_hash: z.string(),
  created_at: time,
  prompt_hash: z.string(),
  language: z.string().nullable(),
  pass_rates: z.array(rate),
  length_tokens: z.array(count.nullable()).meta({ description: "null where the request told none" }),
  finish_reasons: z.array(z.string().nullable()).meta({ description: "how each rollout ended, as the request told" }),
  rewards: z.array(rate),
  audit: z.array(rate).exactOptional().meta({
    description: "the score of each rollout by the audit's judge; only of a group that was audited",
  }),
  turns: z.array(count.nullable()).exactOptional().meta({
    description: "how many turns each rollout has, null of a text; only of a group that is not of texts alone",
  }),
  kind: z.literal("verdicts").exactOptional().meta({
    description: "answers of a verifier in training, whose `pass_rates` say which are right; absent: rollouts",
  }),
  result: GroupResultSchema,
}) satisfies z.ZodType<GroupRow>;

const places = z.array(count);
const VerdictSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("letter"), place: count }),
  z.object({ kind: z.literal("letters"), places }),
  z.object({ kind: z.literal("preference"), strength: z.number() }),
  z.object({ kind: z.literal("scores"), scores: z.array(z.number()) }),
  z.object({ kind: z.literal("ranking"), places }),
  z.object({ kind: z.literal("grade"), grade: z.number() }),
  z.object({ kind: z.literal("label"), label: z.string() }),
  z.object({ kind: z.literal("criteria"), met: z.record(z.string(), z.union([z.boolean(), z.int()]).nullable()) }),
  z.object({ kind: z.literal("distribution"), shares: z.array(z.number()) }),
]) satisfies z.ZodType<Verdict>;

export const StoredVerdictSchema = z.object({
  group_id: z.string(),
  signal: z.string().meta({ description: "whose question it was; `base` in specs without signals" }),
  comparison: count,
  sample: count,
  order: z.array(count).meta({ description: "rollout indices as shown, letter A first" }),
  letter: z.string().nullable(),
  scores: z.array(z.number()).nullable(),
  status: z.enum(READING_STATUSES).nullable(),
  error: z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]).nullable(),
  finish_reason: z.string().nullable(),
  prompt_tokens: count,
  completion_tokens: count,
  latency_ms: z.number(),
  model: z.string().nullable().meta({ description: "the model that answered; null when none did" }),
  backend: z.string().nullable().meta({ description: "the configured backend that it answered from" }),
  text: z.string().exactOptional().meta({
    description:
      "what the verifier wrote, or why it refused; cut to 4,000 characters. Only where the spec says `log_verdicts`",
  }),
  turns: z.array(count.nullable()).exactOptional().meta({
    description: "of each place shown the turn that the verdict names, null of one without; absent: it names none",
  }),
  verdict: VerdictSchema.exactOptional().meta({ description: "what neither a letter nor scores can say" }),
}) satisfies z.ZodType<StoredVerdict>;

export const StoredAuditVerdictSchema = StoredVerdictSchema.omit({
  signal: true,
}) satisfies z.ZodType<StoredAuditVerdict>;

export const StoredTextSchema = z.object({
  group_id: z.string(),
  rollout_index: count.nullable().meta({ description: "null: the group's prompt; a chat as its canonical JSON" }),
  text: z.string(),
}) satisfies z.ZodType<StoredText>;

export const StoredSignalSchema = z.object({
  group_id: z.string(),
  rollout_index: count,
  signal: z.string(),
  value: rate,
  code: z
    .enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]])
    .nullable()
    .meta({ description: "why there is no value" }),
  detail: z
    .looseObject({ skipped: z.literal(true).exactOptional(), refused: z.literal(true).exactOptional() })
    .nullable()
    .meta({ description: "what the signal tells besides the value; `skipped`: its `when` left the rollout out" }),
}) satisfies z.ZodType<StoredSignal>;

export const StoredTurnsSchema = z.object({
  group_id: z.string(),
  rollout_index: count,
  hashes: z.array(z.string()).meta({
    description: "of each turn the first 16 hex digits of its SHA-256; of the first 4,096",
  }),
}) satisfies z.ZodType<StoredTurns>;

const countOr = { count, counts: z.record(z.string(), count) } as Partial<Record<Unit, z.ZodType>>;
const HealthRowSchema = z.object({
  step: count,
  at_ms: z.number().meta({ description: "when its first request was logged, ms since 1970" }),
  ...Object.fromEntries(
    MEASURES.map((measure) => [
      measure.name,
      (countOr[measure.unit] ?? rate).meta({ description: MEASURE_PAGES[measure.name].words }),
    ]),
  ),
});

export const RunHealthSchema = z.object({
  run_id: z.string(),
  owner,
  first_step: count.nullable(),
  last_step: count.nullable(),
  steps: count,
  on: z.array(z.string()).meta({ description: "alarms that are on at the last step" }),
  looked_at: z.array(z.string()).meta({ description: "alarms that had something to look at" }),
  alarms: z.array(
    z.object({
      alarm: z.enum(ALARMS.map(({ name }) => name) as [string, ...string[]]),
      level: z.enum(["watch", "alarm"]),
      from_step: count,
      to_step: count.nullable(),
      says: z.string().meta({ description: "what is wrong where it was worst, in words" }),
      evidence: z.object({
        step: count.meta({ description: "of the worst value" }),
        value: z.number(),
        threshold: z.number(),
        detail: z.record(z.string(), z.unknown()).exactOptional(),
      }),
    }) satisfies z.ZodType<AlarmSpan>,
  ),
  rows: z.array(HealthRowSchema).optional().meta({ description: "asked for by rows=true" }),
});

export const SpecPageSchema = z.object({
  specs: z.array(
    z.object({
      name: z.string(),
      spec_hash: z.string().nullable(),
      spec: z.record(z.string(), z.unknown()).nullable().meta({ description: "null where it is no longer valid" }),
      updated_at: time,
    }),
  ),
  next_cursor: cursor,
});
export const RunPageSchema = z.object({ runs: z.array(RunSummarySchema), next_cursor: cursor });
export const RunStepsSchema = z.object({
  run_id: z.string(),
  owner,
  steps: z.array(StepRowSchema),
  next_from: count.nullable().meta({ description: "send it as ?from= for the steps behind these; null on the last" }),
});
export const RunGroupsSchema = z.object({
  run_id: z.string(),
  owner,
  groups: z.array(GroupRowSchema),
  next_cursor: cursor,
});
export const GroupVerdictsSchema = z.object({
  group_id: z.string(),
  verdicts: z.array(StoredVerdictSchema),
  audit: z.array(StoredAuditVerdictSchema).exactOptional().meta({
    description: "what the audit's judge said, which decided no reward; only of a group that was to be audited",
  }),
});
export const GroupTextsSchema = z.object({
  group_id: z.string(),
  texts: z
    .array(StoredTextSchema.omit({ group_id: true }))
    .meta({ description: "the prompt first, then the rollouts; empty where the spec did not say `log_texts`" }),
});
export const RequestRowSchema = z.object({
  request_id: z.string(),
  kind: z.enum(["rewards", "verdicts", "attempt"]).meta({
    description:
      "`attempt`: the client left before its rewards, so its run's steps, groups and totals leave it out; the run's tokens count it",
  }),
  owner,
  run_id: z.string().nullable(),
  step: count.nullable(),
  spec_hash: z.string(),
  created_at: time,
  items: count,
  metrics: BatchMetricsSchema,
  timing_ms: TimingSchema,
  warnings: z.array(z.string()),
  groups: z.array(GroupRowSchema).meta({ description: "empty for /v1/verdicts, which logs its metrics only" }),
}) satisfies z.ZodType<RequestRow>;
