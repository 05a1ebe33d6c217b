// Owns how a judge's answers are checked before they count: whom each is shown to, and how many of a
// question's answers are kept. Knows no backend.
import * as z from "zod";
import { said } from "#said";
import { someText, wholeFrom } from "../faults/bounded.ts";

export const JudgeFilterSchema = z
  .strictObject({
    top: wholeFrom(1, "samples_max").meta(
      said("how many of a question's answers count, of `judge.samples`: those that score most"),
    ),
    by: z
      .enum(["scalar", "chat"])
      .default("scalar")
      .meta(said("who scores what the judge wrote: a scalar reward model, or a model in the words of `preset`")),
    preset: someText("name_chars")
      .optional()
      .meta(said("of chat: a built-in preset that grades one answer. Default yes-no")),
    model: someText("model_chars").optional().meta(said("of chat: as `judge.model`; default the deployment's")),
  })
  .meta(said("each answer is scored by another model, and the best of a question count (docs/judges.md)"));

export type JudgeFilter = z.output<typeof JudgeFilterSchema>;
