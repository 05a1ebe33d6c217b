// Owns the settings of a judge that is asked before the judge proper, which then sees only pairs
// that it left open.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { JudgeExtraSchema } from "./judge-extra.ts";
import { promptText } from "./prompt-name.ts";
import { tokens } from "./spending.ts";

/** Tokens of an answer that begins with its letter. */
const MAX_TOKENS_DEFAULT = 8;
/** Two numbers that are meant to be 1 together may miss it by rounding. */
const SUM_SLACK = 1e-9;

const share = z.number().min(0).max(1);

export const FirstJudgeSchema = z
  .strictObject({
    preset: promptText.default("letter-select").meta(said("its preset or template, as `judge.preset`")),
    vote: z
      .enum(["majority", "soft"])
      .default("soft")
      .meta(said("`majority` needs both_orders: one vote is never close")),
    max_tokens: tokens.default(MAX_TOKENS_DEFAULT),
    model: z
      .string()
      .min(1)
      .max(...bound("model_chars"))
      .optional()
      .meta(said("another model than the judge's, which MODELS lists. Default: the judge's")),
    extra: JudgeExtraSchema.optional().meta(said("of its requests in place of the judge's")),
    close: z
      .tuple([share, share])
      .refine(
        ([low, high]) => low <= high && Math.abs(low + high - 1) <= SUM_SLACK,
        "must lie evenly about 0.5, as [0.2, 0.8]: which of two is shown first is drawn",
      )
      .default([0.2, 0.8])
      .meta(said("a pair whose mean outcome lies in it, bounds included, goes to the judge")),
    combine: z
      .enum(["replace", "mean"])
      .default("replace")
      .meta(said("`replace`: the judge's verdict counts alone; `mean`: half, where both were read")),
  })
  .meta(
    said(
      "asked of each pair before the judge, which sees the close, the unread and those whose orders disagree (docs/schedules.md)",
    ),
  );
