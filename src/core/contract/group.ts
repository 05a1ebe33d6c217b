// The schema of a group: a prompt with its rollouts.
import * as z from "zod";
import { said } from "#said";
import { bound, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { hasItemsBeyond } from "../transcript/forms.ts";
import { answerOf, turnsOf } from "../transcript/turns.ts";
import { AnyJsonSchema } from "./any-json.ts";
import { PromptSchema } from "./prompt.ts";
import { boundedText, LanguageSchema } from "./request-fields.ts";
import { withinReach } from "./text-bytes.ts";

export const PassRateSchema = z.number().min(0).max(1);

export const LengthTokensSchema = z
  .int()
  .min(0)
  .max(...bound("overlong_tokens_max"));

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
