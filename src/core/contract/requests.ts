// Schemas of the native routes' requests. Their output types are also the domain types. Replies are in
// replies.ts.

import * as z from "zod";
import { said } from "#said";
import { bound, instead, type LimitName, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { hasItemsBeyond } from "../transcript/forms.ts";
import { answerOf, turnsOf } from "../transcript/turns.ts";
import { AnyJsonSchema } from "./any-json.ts";
import { KEPT_TEXTS } from "./kept-texts.ts";
import { OverlongSchema } from "./spec.ts";
import { fitsBytes, withinReach } from "./text-bytes.ts";

function boundedText(name: LimitName) {
  const limit = LIMITS[name];
  const message = `longer than the limit ${name} = ${limit} bytes of UTF-8${instead(name)}`;
  return z
    .string()
    .refine((t) => fitsBytes(t, limit), { message })
    .meta({ maxLength: limit });
}

/**
 * A string schema whose pattern also limits the length. The error message names the pattern and the limit.
 */
export const grammar = (expression: string, limit: LimitName) =>
  z.string().regex(new RegExp(`^${expression}$`), `must match ${expression} (limit ${limit})`);

export const RunIdSchema = grammar(`[A-Za-z0-9._:-]{1,${LIMITS.id_chars}}`, "id_chars");
export const StepSchema = z
  .int()
  .min(0)
  .max(...bound("step_max"));
export const PassRateSchema = z.number().min(0).max(1);

const LengthTokensSchema = z
  .int()
  .min(0)
  .max(...bound("overlong_tokens_max"));

/** A short name, such as a chat role. */
export const WordSchema = z
  .string()
  .min(1)
  .max(...bound("name_chars"));

const PROMPT_TEXT = boundedText("prompt_bytes");
/** A message in OpenAI's chat format. Unknown fields are rejected. */
const PromptMessageSchema = z
  .strictObject({
    role: WordSchema,
    content: z.union([PROMPT_TEXT, z.array(AnyJsonSchema).max(...bound("content_parts_max"))]).nullish(),
    reasoning_content: z.string().nullish().meta(said("the turn's thoughts; not shown to the verifier")),
    tool_calls: z
      .array(AnyJsonSchema)
      .max(...bound("content_parts_max"))
      .nullish()
      .meta(said("the turn's tool calls; a prompt with calls is shown as a transcript")),
    tool_call_id: z.string().nullish().meta(said("for a tool result: the id of its call")),
    name: z.string().nullish(),
  })
  .superRefine(({ content, tool_calls }, context) => {
    if (content == null && (tool_calls ?? []).length === 0)
      context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path: ["content"] });
  });
export type PromptMessage = z.output<typeof PromptMessageSchema>;

const PromptSchema = z.union([
  PROMPT_TEXT,
  z
    .array(PromptMessageSchema)
    .min(1)
    .max(...bound("messages_max")),
]);
export type Prompt = z.output<typeof PromptSchema>;
/** A prompt as the client sends it, before parsing. */
export type PromptInput = z.input<typeof PromptSchema>;

/**
 * A rollout's `text`. A longer string than the limit is truncated to slightly more than the limit, so that it
 * still counts as too long.
 */
export const RolloutTextSchema = z.string().overwrite((text) => withinReach(text));

const isRun = (run: unknown): boolean =>
  Array.isArray(run) ? run.length > 0 : typeof run === "object" && run !== null && Object.keys(run).length > 0;

/** A rollout's messages, in any of the formats that ../transcript reads. */
export const MessagesSchema = AnyJsonSchema.refine(isRun, "expected messages: a non-empty list, or a trajectory")
  .refine((run) => !hasItemsBeyond(run, LIMITS.rollout_messages_max), `too many; ${theLimit("rollout_messages_max")}`)
  .meta(
    said(
      "a multi-turn rollout, instead of `text`: OpenAI chat messages with tool calls and results, Responses items, Anthropic messages, or a trajectory from ATIF (1.0 to 1.7) or verifiers (docs/trajectories.md)",
    ),
  );

const FileSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(...bound("file_path_chars")),
  text: boundedText("rollout_text_bytes"),
  base: boundedText("rollout_text_bytes")
    .optional()
    .meta(said("the file's text before the policy changed it; if set, the verifier sees a diff")),
});

export const RolloutSchema = z.strictObject({
  /** For rollouts with messages, `readRollout` fills in the last assistant message. */
  text: RolloutTextSchema.optional() as unknown as typeof RolloutTextSchema,
  messages: MessagesSchema.optional(),
  files: z
    .array(FileSchema)
    .min(1)
    .max(...bound("rollout_files_max"))
    .optional()
    .meta(
      said("files that the policy left behind, shown after its turns; under `extract: diff`, only the files are shown"),
    ),
  length_tokens: LengthTokensSchema.optional(),
  finish_reason: z.enum(["stop", "length"]).optional(),
  too_long: z
    .literal(true)
    .optional()
    .meta(
      said(
        "true if `text` is only the beginning of a text over rollout_text_bytes, as this API's client sends it; the rollout is malformed",
      ),
    ),
  pass_rate: PassRateSchema.optional().meta(said("label used only for metrics, never for the reward")),
});
export type Rollout = z.output<typeof RolloutSchema>;

/** Fills in the rollout's `text` if it was sent as messages. */
export const readRollout = <R extends Rollout>(rollout: R): R =>
  rollout.text === undefined || rollout.messages !== undefined
    ? { ...rollout, text: withinReach(answerOf(turnsOf(rollout.messages))) }
    : rollout;

/**
 * Schema of a group's list of rollouts. Each rollout must have `text`, `messages` or `files`; `text` and
 * `messages` exclude each other.
 */
export const givenRollouts = <S extends z.ZodType<Rollout>>(schema: S) =>
  z
    .array(
      schema
        .superRefine(({ text, messages, files }, context) => {
          if (text !== undefined && messages !== undefined)
            context.addIssue({
              code: "custom",
              path: ["messages"],
              message: "given in addition to `text`; send one of the two",
            });
          if (text === undefined && messages === undefined && files === undefined)
            context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path: ["text"] });
        })
        .transform(readRollout),
    )
    .min(1)
    .max(...bound("rollouts_per_group_max"));

export const LanguageSchema = grammar(`[A-Za-z0-9+#._-]{1,${LIMITS.language_chars}}`, "language_chars");

export const GroupSchema = z.strictObject({
  group_id: z
    .string()
    .min(1)
    .max(...bound("id_chars"))
    .optional(),
  prompt: PromptSchema,
  language: LanguageSchema.optional(),
  rollouts: givenRollouts(RolloutSchema),
});
/** Data URLs of the images in a group's messages, keyed by digest. */
type GroupImages = Readonly<Record<string, string>>;
/** `images` is extracted from the messages before judging, if the spec shows images to the verifier. */
export type Group = z.output<typeof GroupSchema> & { images?: GroupImages };

/** Time from the request to the reply, in milliseconds. */
export const DeadlineSchema = z
  .int()
  .min(...bound("deadline_ms_min"))
  .max(...bound("deadline_ms_max"))
  .default(LIMITS.deadline_ms_default);

export const SpecNameSchema = grammar(`[a-z0-9][a-z0-9._-]{0,${LIMITS.name_chars - 1}}`, "name_chars");

const FormulationSchema = z.enum(["list_em", "pair_em", "list_sc", "pair_sc"]);
export type Formulation = z.output<typeof FormulationSchema>;

const VerdictOptionsSchema = z.strictObject({
  style: z.enum(["think", "cot"]).default("think"),
  prefill: z
    .string()
    .max(...bound("prefill_chars"))
    .default(""),
  list_sc_wrong: z.union([z.literal(-1), z.literal(0)]).default(-1),
});
export type VerdictOptions = z.output<typeof VerdictOptionsSchema>;

const CandidateIndexSchema = z
  .int()
  .min(0)
  .max(LIMITS.verdict_candidates_max - 1, "verdict_candidates_max");

export const VerdictItemSchema = z.strictObject({
  prompt: PromptSchema.optional().meta(
    said(
      "prompt that the verifier saw; never affects the reward, and is stored with `text` if the request's texts are stored",
    ),
  ),
  text: z.string().overwrite((text) => withinReach(text, LIMITS.verdict_text_bytes)),
  candidates: z
    .int()
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max"))
    .optional(),
  correct: CandidateIndexSchema.optional().meta(said("0-based index of the correct candidate")),
  pass_rates: z
    .array(PassRateSchema)
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max"))
    .optional(),
  length_tokens: LengthTokensSchema.optional(),
});
export type VerdictItem = z.output<typeof VerdictItemSchema>;

export const VerdictsRequestSchema = z.strictObject({
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
  log_texts: KEPT_TEXTS.log_texts.meta(
    said(
      "whether the prompts and texts are stored; if true, every item needs a prompt. Default: the deployment's setting",
    ),
  ),
  formulation: FormulationSchema,
  options: VerdictOptionsSchema.prefault({}),
  overlong: OverlongSchema.nullable().default(null),
  items: z
    .array(VerdictItemSchema)
    .min(1)
    .max(...bound("verdict_items_max")),
});
export type VerdictsRequest = z.output<typeof VerdictsRequestSchema>;
