// Owns the spec: everything besides the rollouts that decides a reward, its defaults and its canonical form. Knows no I/O; hashing is the caller's.
import * as z from "zod";
import { bound } from "./limit-advice.ts";

const tokens = z
  .int()
  .min(1)
  .max(...bound("overlong_tokens_max"));

/** Soft overlong punishment (DAPO Eq. 13): M = max_tokens, C = cache_tokens, 0 < C <= M. */
export const OverlongSchema = z
  .strictObject({
    max_tokens: tokens.meta({ description: "M: the length, in policy tokens, at which the punishment reaches -1" }),
    cache_tokens: tokens.meta({ description: "C: the punishment grows linearly over the last C tokens before M" }),
    clamp: z.boolean().default(true),
  })
  .refine((o) => o.cache_tokens <= o.max_tokens, {
    path: ["cache_tokens"],
    message: "cache_tokens must be at most max_tokens",
  });
export type Overlong = z.output<typeof OverlongSchema>;

export const FormatRuleSchema = z.union([
  z.enum(["has_candidate", "closed_think"]),
  z.strictObject({
    regex: z
      .string()
      .min(1)
      .max(...bound("regex_chars")),
  }),
]);
export type FormatRule = z.output<typeof FormatRuleSchema>;

const JudgeSchema = z.strictObject({
  mode: z.enum(["pairwise", "listwise"]).default("pairwise"),
  schedule: z
    .enum(["round_robin", "single_list"])
    .optional()
    .meta({ description: "pairwise: round_robin; listwise: single_list. Default: the one of the mode" }),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
  both_orders: z.boolean().default(false),
  samples: z
    .int()
    .min(1)
    .max(...bound("samples_max"))
    .default(1),
  vote: z.enum(["majority"]).default("majority"),
  prompt: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)")
    .default("code-select"),
  model: z
    .string()
    .min(1)
    .max(...bound("model_chars"))
    .nullable()
    .default(null),
  temperature: z
    .number()
    .min(0)
    .max(...bound("temperature_max"))
    .default(0.6),
  top_p: z.number().gt(0).max(1).default(0.95),
  max_tokens: z
    .int()
    .min(1)
    .max(...bound("max_tokens_max"))
    .default(16_384),
  strict_model: z.boolean().optional().meta({
    description:
      "only the first backend may judge, and one model a group; what another answered has failed. Default false",
  }),
});

/** The inline spec as it comes over the wire; every field may be left out. */
export const SpecSchema = z
  .strictObject({
    judge: JudgeSchema.prefault({}),
    candidate: z
      .strictObject({
        extract: z.enum(["last_code_block", "after_think", "whole"]).default("last_code_block"),
        strip_comments: z.boolean().default(false),
      })
      .prefault({}),
    reward: z.enum(["win_rate", "top1", "wins"]).default("win_rate"),
    format: z
      .strictObject({
        rules: z
          .array(FormatRuleSchema)
          .max(...bound("format_rules_max"))
          .default(["has_candidate"]),
        penalty: z
          .number()
          .min(0)
          .max(...bound("format_penalty_max"))
          .default(1),
      })
      .prefault({}),
    overlong: OverlongSchema.nullable().default(null),
    seed: z
      .int()
      .min(0)
      .max(...bound("integer_max"))
      .default(0),
    log_texts: z.boolean().default(false),
  })
  .transform(({ judge: { strict_model, ...judge }, ...spec }) => ({
    ...spec,
    judge: {
      ...judge,
      schedule: judge.schedule ?? (judge.mode === "pairwise" ? ("round_robin" as const) : ("single_list" as const)),
      // Only when it is set, so that the hash of every spec from before the field existed is what it was.
      ...(strict_model === true && { strict_model }),
    },
  }))
  .refine((s) => (s.judge.mode === "pairwise") === (s.judge.schedule === "round_robin"), {
    path: ["judge", "schedule"],
    message: "schedule must fit the mode: round_robin for pairwise, single_list for listwise",
  });

export type SpecInput = z.input<typeof SpecSchema>;
export type Spec = z.output<typeof SpecSchema>;

/** The spec named `default`: every default of the contract. */
export const DEFAULT_SPEC: Spec = SpecSchema.parse({});

/**
 * JSON with keys in order at every level and no spaces: equal values give equal text. Whatever a request may hold at any depth is held
 * to label_depth_max before it comes here.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** What is hashed into `spec_hash`: all that decides a reward, so not `log_texts`, but the prompt templates' hash. */
export function specFingerprint(spec: Spec, promptHash: string): string {
  const { log_texts: _, ...deciding } = spec;
  return canonicalJson({ ...deciding, prompt_hash: promptHash });
}
