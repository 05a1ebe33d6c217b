// The spec: everything besides the rollouts that decides a reward, its defaults and its canonical form.
// Hashing is the caller's.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { type CandidateRule, CandidateSchema } from "./candidate-rule.ts";
import { JudgeExtraSchema } from "./judge-extra.ts";
import { decidingOf, type KeptTexts } from "./kept-texts.ts";
import { isDecision, promptName, promptText } from "./prompt-name.ts";
import { BudgetSchema, count, MaxTokensSchema, SamplesSchema } from "./spending.ts";

const tokens = z
  .int()
  .min(1)
  .max(...bound("overlong_tokens_max"));

/** Soft overlong punishment (DAPO Eq. 13): M = max_tokens, C = cache_tokens, 0 < C <= M. */
export const OverlongSchema = z
  .strictObject({
    max_tokens: tokens.meta(said("M: the length, in policy tokens, at which the punishment reaches -1")),
    cache_tokens: tokens.meta(said("C: the punishment grows linearly over the last C tokens before M")),
    clamp: z.boolean().default(true),
  })
  .refine((o) => o.cache_tokens <= o.max_tokens, {
    path: ["cache_tokens"],
    message: "cache_tokens must be at most max_tokens",
  });
export type Overlong = z.output<typeof OverlongSchema>;

const FormatRuleSchema = z.union([
  z.enum(["has_candidate", "closed_think", "judgeable", "fits"]),
  z.strictObject({
    regex: z
      .string()
      .min(1)
      .max(...bound("regex_chars")),
  }),
  z.strictObject({
    shown: z
      .number()
      .min(0)
      .max(1)
      .meta(
        said("least share of a run that the judge sees under extract whole: what is cut for its length is not seen"),
      ),
  }),
]);
export type FormatRule = z.output<typeof FormatRuleSchema>;

const slotText = (description: string) =>
  z
    .string()
    .min(1)
    .max(...bound("slot_chars"))
    .optional()
    .meta({ description });

/** A schedule's name, or its name beside its settings. */
export type NamedSchedule = string | { name: string; [setting: string]: unknown };

/** A judge without its schedule, which ../signals/{flat-spec,tournament}.ts know. */
export const JudgeSchema = z.strictObject({
  mode: z.enum(["pairwise", "listwise"]).default("pairwise"),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
  both_orders: z
    .union([z.boolean(), z.literal("when_close")])
    .default(false)
    .meta(
      said(
        "`when_close`: the second order only of pairs whose outcome lies in 0.35..0.65, and of neighbours in the order",
      ),
    ),
  samples: z
    .union([count("samples_max"), SamplesSchema])
    .default(1)
    .meta(said("generations of each question, or from how many to how many")),
  budget: BudgetSchema.optional(),
  vote: z
    .enum(["majority", "soft"])
    .default("majority")
    .meta(
      said(
        "`soft`: an answer counts as the probabilities that the engine gave the letters where its letter stands (docs/judges.md)",
      ),
    ),
  prompt: promptText.default("code-select"),
  preset: promptName
    .optional()
    .meta(said("how the judge is asked and read (docs/judges.md); stands in place of `prompt`")),
  rubric: slotText("what the preset's rubric slot says; default: that the response does what was asked"),
  principle: slotText("what the preset's principle slot says; default: correct, helpful and complete"),
  strength: z
    .enum(["sign", "graded"])
    .optional()
    .meta(
      said(
        "graded: a slight preference counts 0.75 and scores (1 + tanh((a - b) / strength_scale)) / 2; sign (default): whole wins",
      ),
    ),
  strength_scale: z
    .number()
    .gt(0)
    .max(...bound("strength_scale_max"))
    .optional()
    .meta(said("of graded scores. Default: a fifth of their range, so 2 of 0 to 10")),
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
  max_tokens: MaxTokensSchema,
  strict_model: z
    .boolean()
    .optional()
    .meta(
      said("only the first backend may judge, and one model a group; what another answered has failed. Default false"),
    ),
  unparsed: z
    .enum(["undecided", "tie"])
    .optional()
    .meta(
      said(
        "what a pair without any parsed verdict is: undecided (default), or a tie, as the paper's evaluation has it",
      ),
    ),
  reask: z
    .int()
    .min(0)
    .max(...bound("reask_max"))
    .optional()
    .meta(said("how often a comparison without a parsed verdict is asked again, with fresh seeds. Default 1")),
  extra: JudgeExtraSchema.optional(),
  images: z
    .boolean()
    .optional()
    .meta(
      said("show the images of prompts and of runs (docs/trajectories.md); for models that take them. Default false"),
    ),
  min_decided: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(
      said("share of a rollout's asked pairs that must be decided; with less it has no reward (partial). Default 1"),
    ),
});

/** A judge's rules for missing verdicts. */
export interface MissingRules {
  unparsed: "undecided" | "tie";
  reask: number;
  min_decided: number;
}
const MISSING_DEFAULT: MissingRules = { unparsed: "undecided", reask: 1, min_decided: 1 };

/** Which field named a judge's prompt; for refusals, in no JSON. */
const NAMED_BY = Symbol("named by");

/** The field that named a judge's prompt, `prompt` where nothing is known of it. */
export const promptField = (judge: { readonly [NAMED_BY]?: "preset" }): "prompt" | "preset" =>
  judge[NAMED_BY] ?? "prompt";

/** A judge's canonical form. */
export function canonicalJudge({
  strict_model,
  extra,
  images,
  unparsed,
  reask,
  min_decided,
  schedule,
  preset,
  rubric,
  principle,
  strength,
  strength_scale,
  max_tokens,
  ...judge
}: z.output<typeof JudgeSchema> & { schedule?: NamedSchedule | undefined }) {
  return {
    ...judge,
    prompt: preset ?? judge.prompt,
    ...(isDecision(preset ?? judge.prompt) && { vote: "soft" as const }),
    ...(preset !== undefined && { [NAMED_BY]: "preset" as const }),
    max_tokens,
    ...(rubric !== undefined && { rubric }),
    ...(principle !== undefined && { principle }),
    ...(strength === "graded" && { strength }),
    ...(strength_scale !== undefined && { strength_scale }),
    schedule: schedule ?? (judge.mode === "pairwise" ? "round_robin" : "single_list"),
    // Only what differs from the default: the hash of each spec from before these fields stays.
    ...(strict_model === true && { strict_model }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
    ...(images === true && { images }),
    ...(unparsed === "tie" && { unparsed }),
    ...(reask !== undefined && reask !== MISSING_DEFAULT.reask && { reask }),
    // Kept where it is said: contracts that rank have another default. The hash is without it.
    ...(min_decided !== undefined && { min_decided }),
  };
}

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

export const SeedSchema = z
  .int()
  .min(0)
  .max(...bound("integer_max"))
  .default(0);

/** A share of groups that another judge judges again: ../reward/audit.ts. */
export interface Audit {
  share: number;
  judge: ReturnType<typeof canonicalJudge>;
}

/** A spec without signals in its canonical form; its schema is ../reward/flat-spec.ts. */
export interface Spec extends KeptTexts {
  judge: ReturnType<typeof canonicalJudge>;
  candidate: CandidateRule;
  /** A score's name. */
  reward: string;
  format: z.output<typeof FormatSchema>;
  overlong: Overlong | null;
  seed: number;
  audit?: Audit;
}

/** The spec's rules for missing verdicts, defaults filled in. */
export const missingRules = ({ unparsed, reask, min_decided }: Spec["judge"]): MissingRules => ({
  unparsed: unparsed ?? MISSING_DEFAULT.unparsed,
  reask: reask ?? MISSING_DEFAULT.reask,
  min_decided: min_decided ?? MISSING_DEFAULT.min_decided,
});

/** The spec named `default`: every default of the contract. */
export const DEFAULT_SPEC: Spec = {
  reward: "win_rate",
  format: FormatSchema.parse({}),
  overlong: null,
  seed: 0,
  log_texts: undefined,
  candidate: CandidateSchema.parse(undefined),
  judge: canonicalJudge(JudgeSchema.parse({})),
};

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

/** A judge as it is hashed: the default share of decided pairs is left out. */
export function hashedJudge<T extends { min_decided?: number }>(judge: T): T {
  return judge.min_decided === MISSING_DEFAULT.min_decided ? { ...judge, min_decided: undefined } : judge;
}

/** What is hashed into `spec_hash`: what decides a reward, and the prompts' hash. */
export function specFingerprint(spec: Spec, promptHash: string): string {
  return canonicalJson({ ...decidingOf(spec), judge: hashedJudge(spec.judge), prompt_hash: promptHash });
}
