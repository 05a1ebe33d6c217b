// The wire format of the verify protocol (docs/verify-protocol.md): the edge's requests to the GPU gateway,
// and the events that the gateway streams back.
import * as z from "zod";
import { JudgeExtraSchema } from "../contract/judge-extra.ts";
import { ENGINE_REASON_CHARS } from "../faults/engine-reason.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { imagesMost } from "../judges/image-parts.ts";
import { needsWhole } from "../judges/parsers/table.ts";
import { presetNamed } from "../judges/presets/table.ts";

/**
 * Protocol revision. Raised whenever requests get a new field or value. A gateway reports the revision that
 * it supports, and an edge with a newer revision reports the difference. See docs/verify-protocol.md.
 */
export const VERIFY_REVISION = 3;

const count = z.int().min(0);
const groupId = z.string().min(1).max(LIMITS.id_chars);

/**
 * A comparison of a group's candidates. `order[k]` is the index of the candidate that is shown under letter
 * k. A gateway serves chat models, whose presets show at most `list_candidates_max` candidates.
 */
const VerifyComparisonSchema = z.strictObject({
  /** Unique within the group. */
  id: count,
  order: z.array(count).min(1).max(LIMITS.list_candidates_max),
  samples: z.int().min(1).max(LIMITS.samples_max).default(1),
  /** Number of the first sample. The number of a sample is part of its seed. */
  first_sample: count.default(0),
  /**
   * With `majority`, samples that can no longer change which of two candidates has more verdicts are not run,
   * or are cut short. This is exact only if the comparison decides the pair by itself, so it must not be used
   * with both orders. Rejected for lists of more than two candidates.
   */
  stop: z.enum(["majority", "all"]).default("all"),
  /** Maximum number of tokens per generation; default: `sampling.max_tokens`. */
  max_tokens: z.int().min(1).max(LIMITS.max_tokens_max).optional(),
});

const IMAGES_MAX = imagesMost(LIMITS.rollouts_per_group_max);

const VerifyGroupSchema = z
  .strictObject({
    group_id: groupId,
    question: z.string(),
    language: z.string().max(32).nullable().default(null),
    /** Additional strings that some presets need. */
    slots: z.strictObject({ reference: z.string(), rubric: z.string(), principle: z.string() }).partial().optional(),
    candidates: z.array(z.string()).min(1).max(LIMITS.rollouts_per_group_max),
    /** Images as data URLs, keyed by digest. Each image is shown after the block that names it. */
    images: z
      .record(z.string().regex(/^[0-9a-f]{64}$/), z.string().startsWith("data:image/"))
      .refine((images) => Object.keys(images).length <= IMAGES_MAX, {
        message: `must have at most ${IMAGES_MAX} images`,
      })
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
          message: "majority requires an order of exactly two candidates",
        });
      }
    });
    if (new Set(group.comparisons.map(({ id }) => id)).size !== group.comparisons.length) {
      context.addIssue({ code: "custom", path: ["comparisons"], message: "ids must be distinct" });
    }
  });

export const VerifyRequestSchema = z.strictObject({
  /**
   * Milliseconds from arrival. A sample that is not finished by then becomes an `error` with the code
   * `deadline`.
   */
  deadline_ms: z.int().min(1).max(LIMITS.deadline_ms_max),
  /**
   * Whether to retry engine failures until the deadline. If false, a failure is reported early as
   * `retryable`, which suits a caller that has another backend.
   */
  patient: z.boolean().default(false),
  /**
   * Whether to run comparisons in the listed order instead of the best order for the engine's prefix cache,
   * so that the results available at the deadline are those of the first comparisons.
   */
  in_order: z.boolean().default(false),
  /**
   * Requests with lower values go first, as in vLLM. Requests with equal priority share the engine fairly.
   */
  priority: z.int().min(-100).max(100).default(0),
  groups: z
    .array(VerifyGroupSchema)
    .min(1)
    .max(LIMITS.groups_max)
    .refine((groups) => new Set(groups.map(({ group_id }) => group_id)).size === groups.length, {
      message: "group_ids must be distinct",
    }),
  /** Name of a prompt or preset, or a deployment's template as canonical JSON. */
  prompt: z.string().max(LIMITS.template_chars),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
  /** Name of the model; null means the gateway's ENGINE_MODEL. */
  model: z.string().max(256).nullable().default(null),
  sampling: z.strictObject({
    temperature: z.number().min(0).max(2),
    top_p: z.number().gt(0).max(1),
    max_tokens: z.int().min(1).max(LIMITS.max_tokens_max),
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  }),
  /** Additional fields for the engine's request. */
  extra: JudgeExtraSchema.optional(),
  /**
   * Whether to ask the engine for the probabilities of the labels at the position of the answer's label
   * (formulas h).
   */
  soft: z.boolean().default(false),
});
export type VerifyRequest = z.output<typeof VerifyRequestSchema>;
export type VerifyRequestInput = z.input<typeof VerifyRequestSchema>;
export type VerifyGroup = VerifyRequest["groups"][number];
export type VerifyComparison = z.output<typeof VerifyComparisonSchema>;

const ids = { group_id: groupId, comparison: count };
const VerifyErrorCodeSchema = z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]);

/** Maximum length of the answer in a `verdict` event. Only the end of a longer answer is kept. */
export const ANSWER_SEGMENT_CHARS = 4096;
/** Maximum length of the answer if the prompt's parser reads the whole answer. */
const ANSWER_WHOLE_CHARS = 65_536;

/** Number of characters of an answer that the prompt's parser may need. */
export function answerChars(prompt: string): number {
  const preset = presetNamed(prompt);
  return preset !== null && needsWhole(preset.parser) ? ANSWER_WHOLE_CHARS : ANSWER_SEGMENT_CHARS;
}

/**
 * One line of the reply. Every sample of every comparison appears in exactly one `verdict`, `saved` or
 * `error` event.
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
    /** The answer without its thoughts (see thinking.ts). */
    answer: z.string(),
    thinking: z.enum(["none", "closed", "unclosed"]),
    /** `stop`, `length`, `repetition`, or another finish reason of the engine. */
    finish_reason: z.string().nullable(),
    prompt_tokens: count,
    completion_tokens: count,
    queue_ms: z.number(),
    first_token_ms: z.number().nullable(),
    total_ms: z.number(),
    /**
     * Probability of each label at the position of the label, if requested; null if no label was found.
     * `coverage` is the total probability that the engine gave the labels, and `written` is the label that
     * was generated.
     */
    letters: z.record(z.string(), z.number()).nullable().optional(),
    coverage: z.number().nullable().optional(),
    written: z.string().nullable().optional(),
    /** The model that answered, under the engine's name for it. */
    model: z.string().nullable().optional(),
  }),
  z.object({
    type: z.literal("saved"),
    ...ids,
    /**
     * Numbers of the samples that were not run or were cut short because the majority was already decided.
     */
    samples: z.array(count).min(1),
    /** Number of tokens that these samples had generated before they were cut short. */
    completion_tokens: count,
  }),
  z.object({
    type: z.literal("error"),
    ...ids,
    sample: count,
    code: VerifyErrorCodeSchema,
    retryable: z.boolean(),
    /** Human-readable reason why the engine rejected the question, if it gave one. */
    reason: z.string().max(ENGINE_REASON_CHARS).nullable().optional(),
    /** How long the engine asked to wait before a retry, in milliseconds; omitted if it did not say. */
    retry_after_ms: count.optional(),
  }),
  z.object({ type: z.literal("heartbeat"), open: count }),
  z.object({
    type: z.literal("done"),
    usage: z.object({
      /** All requested generations, including saved and failed ones. */
      generations: count,
      saved: count,
      failed: count,
      prompt_tokens: count,
      /** Includes the tokens of saved samples that had already begun. */
      completion_tokens: count,
      in_flight_max: count,
    }),
  }),
]);
export type VerifyEvent = z.output<typeof VerifyEventSchema>;
export type VerdictEvent = Extract<VerifyEvent, { type: "verdict" }>;
