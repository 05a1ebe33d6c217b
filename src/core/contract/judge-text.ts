// Owns the wire shape of what a judge wrote, as it is told beside a reward.
import * as z from "zod";
import { said } from "#said";
import { ITEM_ERRORS, type ItemErrorCode } from "../faults/errors.ts";

/** One answer of a judge that was shown the rollout. */
const JudgeTextSchema = z.object({
  signal: z.string().meta(said("the signal that asked; `base` of a spec without signals")),
  shown: z
    .array(z.int())
    .readonly()
    .meta(said("the rollouts shown, by their places in the group, in the order shown: A, B, ..")),
  sample: z.int(),
  verdict: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta(said("what was read: `kind`, and a `place` of `shown`, `scores`, a `label`, a `grade` ..; null: nothing")),
  status: z.string().nullable().meta(said("how it was read: ok, tie, no_box ..; null where no answer came")),
  error: z
    .enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]])
    .nullable()
    .meta(said("why no answer came")),
  text: z.string().nullable().meta(said("what it wrote, thoughts apart, its middle cut; null: nothing is kept")),
});
export type JudgeText = z.output<typeof JudgeTextSchema>;

export const JudgeTextsSchema = z
  .array(JudgeTextSchema)
  .optional()
  .meta(said("what the judge wrote of the rollout; only where the spec says `judge_text`"));
