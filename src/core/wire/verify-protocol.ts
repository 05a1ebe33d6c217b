// The wire shapes of the verify protocol (docs/verify-protocol.md): what the edge asks the GPU gateway, and
// the events it streams back.
import * as z from "zod";
import { JudgeExtraSchema } from "../contract/judge-extra.ts";
import { ENGINE_REASON_CHARS } from "../faults/engine-reason.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { imagesMost } from "../judges/image-parts.ts";
import { needsWhole } from "../judges/parsers/table.ts";
import { presetNamed } from "../judges/presets/table.ts";

/**
 * Raised with each field or value that a request may newly have: a gateway tells its own, and an edge
 * of a newer one says so. See docs/verify-protocol.md.
 */
export const VERIFY_REVISION = 3;

const count = z.int().min(0);
const groupId = z.string().min(1).max(LIMITS.id_chars);

/**
 * One comparison over a group's candidates: `order[k]` is the index of the candidate under letter
 * k.
 */
const VerifyComparisonSchema = z.strictObject({
  /** Unique within its group. */
  id: count,
  order: z.array(count).min(1).max(LIMITS.list_candidates_max),
  samples: z.int().min(1).max(LIMITS.samples_max).default(1),
  /** Number of the first sample; it seeds the engine. */
  first_sample: count.default(0),
  /**
   * `majority`: samples that can no longer change which of two candidates has more verdicts are not
   * run, or cut short. Exact only where this comparison alone decides the pair, so not with both
   * orders; refused for lists of more than two.
   */
  stop: z.enum(["majority", "all"]).default("all"),
  /** Tokens of each generation at most; default `sampling.max_tokens`. */
  max_tokens: z.int().min(1).max(LIMITS.max_tokens_max).optional(),
});

const IMAGES_MAX = imagesMost(LIMITS.rollouts_per_group_max);

const VerifyGroupSchema = z
  .strictObject({
    group_id: groupId,
    question: z.string(),
    language: z.string().max(32).nullable().default(null),
    /** Texts that some presets need besides. */
    slots: z.strictObject({ reference: z.string(), rubric: z.string(), principle: z.string() }).partial().optional(),
    candidates: z.array(z.string()).min(1).max(LIMITS.rollouts_per_group_max),
    /** By digest, as data URLs; each is shown behind the block that names it. */
    images: z
      .record(z.string().regex(/^[0-9a-f]{64}$/), z.string().startsWith("data:image/"))
      .refine((images) => Object.keys(images).length <= IMAGES_MAX, { message: `at most ${IMAGES_MAX}` })
      .optional(),
    comparisons: z.array(VerifyComparisonSchema).min(1),
  })
  .superRefine((group, context) => {
    group.comparisons.forEach(({ order, stop }, at) => {
      const path = ["comparisons", at, "order"];
      if (order.some((index) => index >= group.candidates.length)) {
        context.addIssue({ code: "custom", path, message: `must be indices below ${group.candidates.length}` });
      }
      if (new Set(order).size !== order.length) context.addIssue({ code: "custom", path, message: "must be distinct" });
      if (stop === "majority" && order.length !== 2) {
        context.addIssue({
          code: "custom",
          path: ["comparisons", at, "stop"],
          message: "majority needs an order of two",
        });
      }
    });
    if (new Set(group.comparisons.map(({ id }) => id)).size !== group.comparisons.length) {
      context.addIssue({ code: "custom", path: ["comparisons"], message: "ids must be distinct" });
    }
  });

export const VerifyRequestSchema = z.strictObject({
  /** Milliseconds from arrival; what is not done by then is an `error` with code `deadline`. */
  deadline_ms: z.int().min(1).max(LIMITS.deadline_ms_max),
  /**
   * Engine failures are asked again until the deadline; without it the failure is reported soon as
   * `retryable`, for a caller that has another backend to ask.
   */
  patient: z.boolean().default(false),
  /**
   * Comparisons go as they are listed, not as the engine's prefix cache likes them: what is there at
   * the deadline is of use, and is to be the beginning.
   */
  in_order: z.boolean().default(false),
  /** Lower goes first, as vLLM has it; equal priorities share fairly. */
  priority: z.int().min(-100).max(100).default(0),
  groups: z
    .array(VerifyGroupSchema)
    .min(1)
    .max(LIMITS.groups_max)
    .refine((groups) => new Set(groups.map(({ group_id }) => group_id)).size === groups.length, {
      message: "group_ids must be distinct",
    }),
  /** A prompt's or preset's name, or a deployment's own template as canonical JSON. */
  prompt: z.string().max(LIMITS.template_chars),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
  /** null: the gateway's ENGINE_MODEL. */
  model: z.string().max(256).nullable().default(null),
  sampling: z.strictObject({
    temperature: z.number().min(0).max(2),
    top_p: z.number().gt(0).max(1),
    max_tokens: z.int().min(1).max(LIMITS.max_tokens_max),
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  }),
  /** Further fields of the engine's request. */
  extra: JudgeExtraSchema.optional(),
  /**
   * Ask the engine for the labels' probabilities where the answer's label stands (formulas h).
   */
  soft: z.boolean().default(false),
});
export type VerifyRequest = z.output<typeof VerifyRequestSchema>;
export type VerifyRequestInput = z.input<typeof VerifyRequestSchema>;
export type VerifyGroup = VerifyRequest["groups"][number];
export type VerifyComparison = z.output<typeof VerifyComparisonSchema>;

const ids = { group_id: groupId, comparison: count };
const VerifyErrorCodeSchema = z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]);

/** Most characters of an answer segment in a `verdict` event; a longer one keeps its end. */
export const ANSWER_SEGMENT_CHARS = 4096;
/** The same where the prompt's parser reads all of an answer. */
const ANSWER_WHOLE_CHARS = 65_536;

/** How much of an answer to this prompt its parser may need. */
export function answerChars(prompt: string): number {
  const preset = presetNamed(prompt);
  return preset !== null && needsWhole(preset.parser) ? ANSWER_WHOLE_CHARS : ANSWER_SEGMENT_CHARS;
}

/**
 * One line of the reply. Every sample of every comparison is in exactly one `verdict`, `saved` or
 * `error`.
 */
export const VerifyEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("accepted"),
    request_id: z.string(),
    generations: count,
    queue_depth: count,
  }),
  z.object({
    type: z.literal("verdict"),
    ...ids,
    sample: count,
    /** The text behind the thinking (thinking.ts). */
    answer: z.string(),
    thinking: z.enum(["none", "closed", "unclosed"]),
    /** `stop`, `length`, `repetition`, or what else the engine said. */
    finish_reason: z.string().nullable(),
    prompt_tokens: count,
    completion_tokens: count,
    queue_ms: z.number(),
    first_token_ms: z.number().nullable(),
    total_ms: z.number(),
    /**
     * Probability of each label where it stands, only when asked; null where none was seen. What
     * the engine gave them all, and which was written.
     */
    letters: z.record(z.string(), z.number()).nullable().optional(),
    coverage: z.number().nullable().optional(),
    written: z.string().nullable().optional(),
    /** The model that answered, as the engine names it. */
    model: z.string().nullable().optional(),
  }),
  z.object({
    type: z.literal("saved"),
    ...ids,
    /** Sample numbers that were not run, or were cut short: the majority was decided. */
    samples: z.array(count).min(1),
    /** Tokens that the cut ones had generated already. */
    completion_tokens: count,
  }),
  z.object({
    type: z.literal("error"),
    ...ids,
    sample: count,
    code: VerifyErrorCodeSchema,
    retryable: z.boolean(),
    /** Why the engine refused the question, fit for people; where it said so. */
    reason: z.string().max(ENGINE_REASON_CHARS).nullable().optional(),
    /** How long the engine asked to be left alone, ms; where it said so. */
    retry_after_ms: count.optional(),
  }),
  z.object({ type: z.literal("heartbeat"), open: count }),
  z.object({
    type: z.literal("done"),
    usage: z.object({
      /** All that were asked: verdicts, saved and failed together. */
      generations: count,
      saved: count,
      failed: count,
      prompt_tokens: count,
      /** Those of saved samples that had begun included. */
      completion_tokens: count,
      in_flight_max: count,
    }),
  }),
]);
export type VerifyEvent = z.output<typeof VerifyEventSchema>;
export type VerdictEvent = Extract<VerifyEvent, { type: "verdict" }>;
