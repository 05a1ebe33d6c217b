// Owns the spec: everything besides the rollouts that decides a reward, its defaults and its
// canonical form. Knows no I/O; hashing is the caller's.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";

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
  z.enum(["has_candidate", "closed_think", "judgeable", "fits"]),
  z.strictObject({
    regex: z
      .string()
      .min(1)
      .max(...bound("regex_chars")),
  }),
]);
export type FormatRule = z.output<typeof FormatRuleSchema>;

export const JudgeSchema = z.strictObject({
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
  unparsed: z.enum(["undecided", "tie"]).optional().meta({
    description:
      "what a pair without any parsed verdict is: undecided (default), or a tie, as the paper's evaluation has it",
  }),
  reask: z
    .int()
    .min(0)
    .max(...bound("reask_max"))
    .optional()
    .meta({
      description: "how often a comparison without a parsed verdict is asked again, with fresh seeds. Default 1",
    }),
  min_decided: z.number().gt(0).max(1).optional().meta({
    description:
      "share of a rollout's asked pairs that must be decided; with less it has no reward (partial). Default 1",
  }),
});

/** What a judge does where its verdicts are missing. */
export interface MissingRules {
  unparsed: "undecided" | "tie";
  reask: number;
  min_decided: number;
}
/** Some 16,000 tokens of code. */
const MAX_CHARS_DEFAULT = 65_536;

const MISSING_DEFAULT: MissingRules = { unparsed: "undecided", reask: 1, min_decided: 1 };

/** Without `max_chars` at its default, as of every spec from before the field existed. */
function leanCandidate<T extends { max_chars?: number | undefined }>({ max_chars, ...rest }: T) {
  return { ...rest, ...(max_chars !== undefined && max_chars !== MAX_CHARS_DEFAULT && { max_chars }) };
}

/** A judge's canonical form. */
export function canonicalJudge({ strict_model, unparsed, reask, min_decided, ...judge }: z.output<typeof JudgeSchema>) {
  return {
    ...judge,
    schedule: judge.schedule ?? (judge.mode === "pairwise" ? ("round_robin" as const) : ("single_list" as const)),
    // Only what differs from the default, so that the hash of every spec from before these fields
    // existed is what it was.
    ...(strict_model === true && { strict_model }),
    ...(unparsed === "tie" && { unparsed }),
    ...(reask !== undefined && reask !== MISSING_DEFAULT.reask && { reask }),
    ...(min_decided !== undefined && min_decided !== MISSING_DEFAULT.min_decided && { min_decided }),
  };
}

/** Why a judge's schedule and mode do not go together, or null. */
export const scheduleFault = ({ mode, schedule }: Spec["judge"]): string | null =>
  (mode === "pairwise") === (schedule === "round_robin")
    ? null
    : "schedule must fit the mode: round_robin for pairwise, single_list for listwise";

export const FormatSchema = z.strictObject({
  rules: z
    .array(FormatRuleSchema)
    .max(...bound("format_rules_max"))
    .default(["has_candidate"]),
  penalty: z
    .number()
    .min(0)
    .max(...bound("format_penalty_max"))
    .default(1),
});

/** What a spec says besides its reward, in both of its forms. */
export const CandidateSchema = z
  .strictObject({
    extract: z.enum(["last_code_block", "after_think", "whole"]).default("last_code_block"),
    strip_comments: z.boolean().default(false),
    max_chars: z
      .int()
      .min(1)
      .max(...bound("candidate_chars_max"))
      .optional()
      .meta({
        description:
          "UTF-16 code units; a longer candidate is never shown to the verifier and breaks the format (rule fits, always asked). Default 65536",
      }),
  })
  .transform(leanCandidate)
  .prefault({});
export const SeedSchema = z
  .int()
  .min(0)
  .max(...bound("integer_max"))
  .default(0);

/** The inline spec as it comes over the wire; every field may be left out. */
export const SpecSchema = z
  .strictObject({
    judge: JudgeSchema.prefault({}),
    candidate: CandidateSchema,
    reward: z.enum(["win_rate", "top1", "wins"]).default("win_rate"),
    format: FormatSchema.prefault({}),
    overlong: OverlongSchema.nullable().default(null),
    seed: SeedSchema,
    log_texts: z.boolean().default(false),
    // The other form's telling field: with it a spec is not meant as one of this form, whatever
    // else is wrong with it.
    signals: z.never().optional(),
  })
  .transform(({ judge, candidate, signals: _, ...spec }) => ({ ...spec, candidate, judge: canonicalJudge(judge) }))
  .superRefine(({ judge }, context) => {
    const message = scheduleFault(judge);
    if (message !== null) context.addIssue({ code: "custom", path: ["judge", "schedule"], message });
  });

export type SpecInput = z.input<typeof SpecSchema>;
export type Spec = z.output<typeof SpecSchema>;

/** The spec's rules for missing verdicts, defaults filled in. */
export const missingRules = ({ unparsed, reask, min_decided }: Spec["judge"]): MissingRules => ({
  unparsed: unparsed ?? MISSING_DEFAULT.unparsed,
  reask: reask ?? MISSING_DEFAULT.reask,
  min_decided: min_decided ?? MISSING_DEFAULT.min_decided,
});

/** The longest candidate that the spec lets the verifier see, in UTF-16 code units. */
export const maxChars = ({ max_chars = MAX_CHARS_DEFAULT }: Spec["candidate"]): number => max_chars;

/** The spec named `default`: every default of the contract. */
export const DEFAULT_SPEC: Spec = SpecSchema.parse({});

/**
 * JSON with keys in order at every level and no spaces: equal values give equal text. Whatever a
 * request may hold at any depth is held to label_depth_max before it comes here.
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

/**
 * What is hashed into `spec_hash`: all that decides a reward, so not `log_texts`, but the prompt
 * templates' hash.
 */
export function specFingerprint(spec: Spec, promptHash: string): string {
  const { log_texts: _, ...deciding } = spec;
  return canonicalJson({ ...deciding, prompt_hash: promptHash });
}
