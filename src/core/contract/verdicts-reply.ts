// The reply to POST /v1/verdicts.
import * as z from "zod";
import { said } from "#said";
import { numberOrNull } from "./reply-numbers.ts";
import { LoggedSchema } from "./rewards-reply.ts";

export const VERDICT_STATUSES = [
  "ok",
  "no_box",
  "bad_content",
  "ambiguous",
  "out_of_range",
  "unclosed_think",
  "too_long",
] as const;

export type VerdictStatus = (typeof VERDICT_STATUSES)[number];

export const VerdictsReplySchema = z.object({
  request_id: z.string(),
  rewards: z.array(z.number()),
  items: z.array(
    z.object({
      reward: z.number(),
      components: z.object({ content: z.number(), format: z.number(), overlong: z.number() }),
      verdict: z.string().nullable().meta(said("the robust parser's letter; null unless `status` is `ok`")),
      scores: z.array(z.number()).nullable(),
      status: z.enum(VERDICT_STATUSES),
    }),
  ),
  metrics: z.object({
    parse_rate: z.number(),
    accuracy: numberOrNull,
    reward_mean: z.number(),
    reward_std: z.number(),
  }),
  logged: LoggedSchema,
  warnings: z.array(z.string()),
});

export type VerdictsReply = z.output<typeof VerdictsReplySchema>;
