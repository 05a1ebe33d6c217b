// The settings of a judge that prompts a model, with their defaults and their canonical form.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { JudgeExtraSchema } from "./judge-extra.ts";
import { isDecision, promptName, promptText } from "./prompt-name.ts";
import { BudgetSchema, count, MaxTokensSchema, SamplesSchema } from "./spending.ts";

const slotText = (description: string) =>
  z
    .string()
    .min(1)
    .max(...bound("slot_chars"))
    .optional()
    .meta({ description });

/** A schedule's name, or an object with its name and settings. */
export type NamedSchedule = string | { name: string; [setting: string]: unknown };

/**
 * The judge settings except the schedule, which ../reward/flat-spec.ts, ../reward/audit.ts and
 * ../tournament/tournament.ts add.
 */
export const JudgeSchema = z.strictObject({
  mode: z.enum(["pairwise", "listwise"]).default("pairwise"),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
  both_orders: z
    .union([z.boolean(), z.literal("when_close")])
    .default(false)
    .meta(
      said(
        "true: asks every pair in both orders; `when_close`: asks the second order only for pairs with an outcome in 0.35..0.65 and for neighbours in the ranking; false: one order",
      ),
    ),
  samples: z
    .union([count("samples_max"), SamplesSchema])
    .default(1)
    .meta(said("generations per question, as a number or as a range with a stopping rule")),
  budget: BudgetSchema.optional(),
  vote: z
    .enum(["majority", "soft"])
    .default("majority")
    .meta(
      said(
        "`soft`: an answer counts as the engine's probabilities of the letters at the position of the answered letter (docs/judges.md)",
      ),
    ),
  prompt: promptText.default("code-select"),
  preset: promptName
    .optional()
    .meta(
      said(
        "name of a preset: questions to the verifier and the parser of its answers (docs/judges.md); replaces `prompt`",
      ),
    ),
  rubric: slotText("text of the preset's rubric slot; default: that the response does what was asked"),
  principle: slotText("text of the preset's principle slot; default: correct, helpful and complete"),
  strength: z
    .enum(["sign", "graded"])
    .optional()
    .meta(
      said(
        "`graded`: a slight preference counts as 0.75, and scores a and b as (1 + tanh((a - b) / strength_scale)) / 2; `sign` (default): every win counts as 1",
      ),
    ),
  strength_scale: z
    .number()
    .gt(0)
    .max(...bound("strength_scale_max"))
    .optional()
    .meta(
      said(
        "divisor of score differences if `strength` is `graded`; default: one fifth of the score range, so 2 for 0 to 10",
      ),
    ),
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
      said(
        "true: only the first backend judges, with one model per group; answers of any other model count as failed. Default: false",
      ),
    ),
  unparsed: z
    .enum(["undecided", "tie"])
    .optional()
    .meta(
      said(
        "result of a pair without any parsed verdict: `undecided` (default), or `tie`, as in the paper's evaluation",
      ),
    ),
  reask: z
    .int()
    .min(0)
    .max(...bound("reask_max"))
    .optional()
    .meta(said("maximum retries of a comparison without a parsed verdict, each with a fresh seed; default: 1")),
  extra: JudgeExtraSchema.optional(),
  images: z
    .boolean()
    .optional()
    .meta(
      said(
        "true: shows the verifier the images of prompts and runs (docs/trajectories.md); its model must accept images. Default: false",
      ),
    ),
  min_decided: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(
      said(
        "minimum share of a rollout's asked pairs that must be decided; below it, the rollout has no reward (`partial`). Default: 1",
      ),
    ),
});

/** How a judge handles missing verdicts. */
export interface MissingRules {
  unparsed: "undecided" | "tie";
  reask: number;
  min_decided: number;
}
const MISSING_DEFAULT: MissingRules = { unparsed: "undecided", reask: 1, min_decided: 1 };

/**
 * Key under which a judge records which field set its prompt, for error messages. A symbol, so that JSON
 * omits the entry.
 */
const NAMED_BY = Symbol("named by");

/** Name of the field that set the judge's prompt: `preset`, or `prompt` if the judge does not record one. */
export const promptField = (judge: { readonly [NAMED_BY]?: "preset" }): "prompt" | "preset" =>
  judge[NAMED_BY] ?? "prompt";

/**
 * The canonical form of a judge. Defaults are filled in, except for fields added later, which are omitted at
 * their default.
 */
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
    // Omitted at their default, so that the hashes of specs from before these fields existed do not change.
    ...(strict_model === true && { strict_model }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
    ...(images === true && { images }),
    ...(unparsed === "tie" && { unparsed }),
    ...(reask !== undefined && reask !== MISSING_DEFAULT.reask && { reask }),
    // Kept if set explicitly, because the default differs in ranking contracts. `hashedJudge` removes the
    // value if it equals the default here.
    ...(min_decided !== undefined && { min_decided }),
  };
}

/** A judge's settings in canonical form. */
export type JudgeSettings = ReturnType<typeof canonicalJudge>;

/** The judge's rules for missing verdicts, with defaults filled in. */
export const missingRules = ({ unparsed, reask, min_decided }: JudgeSettings): MissingRules => ({
  unparsed: unparsed ?? MISSING_DEFAULT.unparsed,
  reask: reask ?? MISSING_DEFAULT.reask,
  min_decided: min_decided ?? MISSING_DEFAULT.min_decided,
});

/** The judge in the form that is hashed, without `min_decided` if it has the default value. */
export function hashedJudge<T extends { min_decided?: number }>(judge: T): T {
  return judge.min_decided === MISSING_DEFAULT.min_decided ? { ...judge, min_decided: undefined } : judge;
}
