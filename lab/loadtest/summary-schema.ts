// The shape of summary.json, by version. What the fields mean: lab/loadtest/README.md.
import * as z from "zod";

const count = z.int().min(0);
const numberOrNull = z.number().nullable();
const ms = z.number();

/**
 * A figure over the repeats: `value` over all of them together, each repeat's own, and the interval
 * of those.
 */
export const EstimateSchema = z.object({
  value: numberOrNull,
  ci95: z.tuple([z.number(), z.number()]).nullable(),
  repeats: z.array(numberOrNull),
});
export type Estimate = z.output<typeof EstimateSchema>;

export const QUANTILES = { p50: 50, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const;
export type QuantileName = keyof typeof QUANTILES;

const LatencySchema = z.object({
  p50: EstimateSchema,
  p90: EstimateSchema,
  p95: EstimateSchema,
  p99: EstimateSchema,
  p999: EstimateSchema,
  mean: EstimateSchema,
  max: numberOrNull,
});

export const SPLIT_PARTS = [
  "wait",
  "network",
  "edge",
  "store",
  "verifier",
  "queue",
  "first_token",
  "generation",
] as const;

const SideSchema = z.object({
  requests: count,
  ok: count,
  failed: count,
  unfinished: count,
  errors: z.record(z.string(), count),
  offered_per_s: EstimateSchema,
  achieved_per_s: EstimateSchema,
  goodput_per_s: EstimateSchema,
  latency_ms: LatencySchema,
  service_ms: LatencySchema,
  rewards: count,
  null_rewards: count,
  rewards_per_s: EstimateSchema,
  comparisons_per_s: EstimateSchema,
  generations_per_s: EstimateSchema,
  tokens_per_s: EstimateSchema,
  parse_rate: numberOrNull,
  completion_tokens_per_reward: numberOrNull,
  prompt_tokens_per_reward: numberOrNull,
  split_ms: z.record(z.enum(SPLIT_PARTS), numberOrNull),
  dollars_per_1000_rewards: z.object({ measured: numberOrNull, modelled: numberOrNull }),
  /** Latency at each percentile, rising. */
  curve: z.array(z.object({ percentile: z.number(), ms })),
  timeline: z.array(
    z.object({ repeat: count, t_s: z.number(), completed: count, failed: count, p50: numberOrNull, p99: numberOrNull }),
  ),
  generator: z.object({
    schedule_error_ms: z.object({ p50: ms, p99: ms, max: ms }),
    in_flight_max: count,
    cpu_share_max: z.number(),
    late: z.boolean(),
  }),
});
export type Side = z.output<typeof SideSchema>;

const PointSchema = z.object({
  rate: numberOrNull,
  concurrency: count.nullable(),
  repeats: count,
  target: SideSchema,
  baseline: SideSchema.nullable(),
  overhead_ms: z
    .object({ p50: EstimateSchema, p90: EstimateSchema, p99: EstimateSchema, mean: EstimateSchema })
    .nullable(),
  /** Why the point counts as overloaded; empty when it holds. */
  overloaded: z.array(z.string()),
  baseline_degraded: z.array(z.string()),
});
export type Point = z.output<typeof PointSchema>;

const EndpointSchema = z.object({
  url: z.string(),
  kind: z.string(),
  model: z.string().nullable(),
  /** The environment variable whose key it was sent; null: none. */
  key_env: z.string().nullable().default(null),
});

export const SummarySchema = z.object({
  format: z.literal("kritai-loadtest/1"),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  /** Why the run ended before its plan; null when it did not. */
  stopped_by: z.enum(["signal", "requests_max", "seconds_max"]).nullable(),
  command: z.array(z.string()),
  seed: count,
  target: EndpointSchema,
  baseline: EndpointSchema.nullable(),
  load: z.object({
    loop: z.enum(["open", "closed"]),
    arrivals: z.string().nullable(),
    warmup_s: z.number(),
    duration_s: z.number(),
    repeats: count,
    timeout_ms: z.number(),
    objective_ms: z.number(),
  }),
  workload: z.object({ name: z.string(), of: z.string(), items: count, sha256: z.string(), marked: z.boolean() }),
  environment: z.object({
    commit: z.string(),
    kritai: z.string(),
    node: z.string(),
    undici: z.string(),
    cpu: z.string(),
    cores: count,
    memory_bytes: count,
    os: z.string(),
    spec_hashes: z.array(z.string()),
  }),
  cost: z.object({ gpu_hour_price: numberOrNull, gpus: count, tokens_per_second: numberOrNull }),
  points: z.array(PointSchema),
  knee: z.object({
    rate: numberOrNull,
    /** The next higher rate that was overloaded: the knee lies between. */
    overloaded_at: numberOrNull,
    /**
     * The fewest requests that a rate was measured by, where that is too few for a knee; then none is
     * reported.
     */
    requests_few: count.nullable().default(null),
    rule: z.string(),
  }),
  frontier: z.array(
    z.object({
      p99_ms_max: z.number(),
      requests_per_s: numberOrNull,
      rewards_per_s: numberOrNull,
      comparisons_per_s: numberOrNull,
    }),
  ),
});
export type Summary = z.output<typeof SummarySchema>;
