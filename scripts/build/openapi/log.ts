// Schemas of the run log's replies, for the OpenAPI document. The types in src/ports are authoritative; the
// compiler checks that the schemas match them.
import * as z from "zod";
import { READING_STATUSES } from "../../../src/core/asking/readings.ts";
import type { StoredSignal, StoredText, StoredTurns } from "../../../src/core/contract/export-tables.ts";
import { GroupResultSchema } from "../../../src/core/contract/group-reply.ts";
import { BatchMetricsSchema, TimingSchema } from "../../../src/core/contract/rewards-reply.ts";
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
  .meta({ description: "pass it as `?cursor=` to get the next page; null on the last page" });

export const owner = z
  .string()
  .nullable()
  .meta({ description: "name of the key that wrote the rows; null if they were written without keys" });

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
  metadata: RunMetadataSchema.nullable().meta({
    description: "metadata set by PUT /v1/runs/:run_id; null if none is set",
  }),
  specs: z.array(
    z.object({
      ...{ spec_hash: z.string(), spec: z.unknown(), requests: count, first_at: time },
      cut_share: rate.meta({
        description:
          "share of the verifier's answers that are unreadable because they ended at the token limit; null if unknown",
      }),
    }),
  ),
}) satisfies z.ZodType<RunDetail>;

const StepSignalSchema = z.object({
  mean: rate.meta({ description: "mean of the known values; null if there are none" }),
  rollouts: count.meta({ description: "number of rollouts that should have a value" }),
  nulls: z.record(z.string(), count).meta({ description: "number of rollouts without a value, by code" }),
}) satisfies z.ZodType<StepSignal>;

export const StepRowSchema = z.object({
  step: count.nullable(),
  first_at: time.meta({ description: "time at which the first request was logged" }),
  last_at: time.meta({ description: "time at which the last request was logged" }),
  requests: count,
  groups: count,
  rollouts: count,
  reward_mean: rate,
  reward_std: rate,
  zero_variance_share: rate.meta({
    description: "share of complete groups whose rewards are all equal; null if there are none",
  }),
  parse_rate: rate,
  tau_b_mean: rate,
  list_acc: rate,
  length_tokens: z.object({ p50: rate, p95: rate }),
  shown_mean: z.number().exactOptional().meta({
    description: "mean share of multi-turn rollouts that the verifier saw; omitted if there are none",
  }),
  generations: count,
  prompt_tokens: count,
  completion_tokens: count,
  usd: z.number().exactOptional().meta({
    description: "cost of the step's questions, in US dollars; omitted unless it is known for every request",
  }),
  latency_ms: z.object({ p50: rate, p99: rate }),
  errors: z.record(z.string(), count),
  warnings: z.array(z.string()),
  signals: z.record(z.string(), StepSignalSchema).exactOptional().meta({
    description:
      "signals by name; only if requested by `signals=true`. For a spec without signals: `base`, `format`, `overlong`",
  }),
}) satisfies z.ZodType<StepRow>;

export const GroupRowSchema = z.object({
  id: z.string().meta({ description: "id of the group: `<request_id>.<group index>`" }),
  request_id: z.string(),
  run_id: z.string().nullable(),
  step: count.nullable(),
  spec_hash: z.string(),
  created_at: time,
  prompt_hash: z.string(),
  prompt_begins: z.string().exactOptional().meta({
    description:
      "first words of the prompt, or of a chat's first user message; omitted unless the prompt is stored (`log_texts`)",
  }),
  language: z.string().nullable(),
  pass_rates: z.array(rate),
  length_tokens: z
    .array(count.nullable())
    .meta({ description: "length of each rollout, in tokens; null if the request has none" }),
  finish_reasons: z
    .array(z.string().nullable())
    .meta({ description: "why each rollout ended, from the request: `stop` or `length`; null if unknown" }),
  rewards: z.array(rate),
  audit: z.array(rate).exactOptional().meta({
    description: "score of each rollout by the audit's judge; omitted unless the group was audited",
  }),
  turns: z.array(count.nullable()).exactOptional().meta({
    description: "number of turns of each rollout, null for a plain text; omitted if all rollouts are plain texts",
  }),
  kind: z.literal("verdicts").exactOptional().meta({
    description:
      "`verdicts`: answers of a verifier in training, whose `pass_rates` say which are right; omitted for rollouts",
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
  signal: z
    .string()
    .meta({ description: "name of the signal that asked the question; `base` for a spec without signals" }),
  comparison: count,
  sample: count,
  order: z.array(count).meta({ description: "indices of the rollouts in the order shown, letter A first" }),
  letter: z.string().nullable(),
  scores: z.array(z.number()).nullable(),
  status: z.enum(READING_STATUSES).nullable(),
  error: z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]).nullable(),
  finish_reason: z.string().nullable(),
  prompt_tokens: count,
  completion_tokens: count,
  latency_ms: z.number(),
  model: z.string().nullable().meta({ description: "name of the model that answered; null if none did" }),
  backend: z.string().nullable().meta({ description: "name of the backend that answered; null if none did" }),
  text: z.string().exactOptional().meta({
    description:
      "answer of the verifier, or why it refused, cut to 4,000 characters; only if the spec sets `log_verdicts`",
  }),
  turns: z.array(count.nullable()).exactOptional().meta({
    description: "for each candidate shown, the turn that the verdict names, or null; omitted if it names none",
  }),
  verdict: VerdictSchema.exactOptional().meta({ description: "the verdict, if it is neither a letter nor scores" }),
}) satisfies z.ZodType<StoredVerdict>;

export const StoredAuditVerdictSchema = StoredVerdictSchema.omit({
  signal: true,
}) satisfies z.ZodType<StoredAuditVerdict>;

export const StoredTextSchema = z.object({
  group_id: z.string(),
  rollout_index: count
    .nullable()
    .meta({ description: "0-based index of the rollout; null: the text is the prompt, with a chat as canonical JSON" }),
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
    .meta({ description: "why there is no value; null if there is one" }),
  detail: z
    .looseObject({ skipped: z.literal(true).exactOptional(), refused: z.literal(true).exactOptional() })
    .nullable()
    .meta({
      description: "details of the signal in addition to its value; `skipped`: its `when` excluded the rollout",
    }),
}) satisfies z.ZodType<StoredSignal>;

export const StoredTurnsSchema = z.object({
  group_id: z.string(),
  rollout_index: count,
  hashes: z.array(z.string()).meta({
    description: "first 16 hex digits of each turn's SHA-256, for up to 4,096 turns",
  }),
}) satisfies z.ZodType<StoredTurns>;

const countOr = { count, counts: z.record(z.string(), count) } as Partial<Record<Unit, z.ZodType>>;
const HealthRowSchema = z.object({
  step: count,
  at_ms: z
    .number()
    .meta({ description: "time at which the step's first request was logged, in milliseconds since 1970" }),
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
  on: z.array(z.string()).meta({ description: "names of the alarms that are active at the last step" }),
  looked_at: z
    .array(z.string())
    .meta({ description: "names of the alarms that had data; the others were not checked" }),
  alarms: z.array(
    z.object({
      alarm: z.enum(ALARMS.map(({ name }) => name) as [string, ...string[]]),
      level: z.enum(["watch", "alarm"]),
      from_step: count,
      to_step: count.nullable(),
      says: z.string().meta({ description: "the alarm's worst value, in words" }),
      evidence: z.object({
        step: count.meta({ description: "step of the worst value" }),
        value: z.number(),
        threshold: z.number(),
        detail: z.record(z.string(), z.unknown()).exactOptional(),
      }),
    }) satisfies z.ZodType<AlarmSpan>,
  ),
  rows: z
    .array(HealthRowSchema)
    .optional()
    .meta({ description: "the rows that the alarms check, one per step; only if requested by `rows=true`" }),
});

export const SpecPageSchema = z.object({
  specs: z.array(
    z.object({
      name: z.string(),
      spec_hash: z.string().nullable(),
      spec: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: "the spec; null if it is no longer valid" }),
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
  next_from: count
    .nullable()
    .meta({ description: "pass it as `?from=` to get the following steps; null on the last page" }),
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
    description:
      "verdicts of the audit's judge, which do not affect rewards; omitted unless the group was selected for the audit",
  }),
});
export const GroupTextsSchema = z.object({
  group_id: z.string(),
  texts: z
    .array(StoredTextSchema.omit({ group_id: true }))
    .meta({ description: "the prompt, then the rollouts; empty unless the spec set `log_texts`" }),
});
export const RequestRowSchema = z.object({
  request_id: z.string(),
  kind: z.enum(["rewards", "verdicts", "attempt"]).meta({
    description:
      "`attempt`: the client disconnected before its rewards; counts towards the run's tokens, but not its steps, groups or totals",
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
  groups: z
    .array(GroupRowSchema)
    .meta({ description: "groups of the request; empty for /v1/verdicts without stored texts" }),
}) satisfies z.ZodType<RequestRow>;
