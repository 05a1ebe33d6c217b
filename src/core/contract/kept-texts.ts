// Owns what a spec says of texts that are stored or told beside a reward. None of it decides one.
import * as z from "zod";
import { said } from "#said";

/** The fields of a spec of either form. */
export const KEPT_TEXTS = {
  log_texts: z.boolean().default(false),
  log_verdicts: z
    .boolean()
    .default(false)
    .meta(said("store what the verifier wrote, cut, for GET /v1/groups/:id/verdicts and the page of a group")),
  judge_text: z
    .boolean()
    .default(false)
    .meta(
      said("tell what the judge wrote beside each reward, thoughts apart and cut, in `judge_text`; stores no text"),
    ),
};

export interface KeptTexts {
  log_texts: boolean;
  log_verdicts?: true;
  judge_text?: true;
}

/** The rest without what is at its default, as of every spec from before the fields existed. */
export const leanTexts = <T extends { log_verdicts: boolean; judge_text: boolean }>({
  log_verdicts,
  judge_text,
  ...rest
}: T) => ({
  ...rest,
  ...(log_verdicts && { log_verdicts: true as const }),
  ...(judge_text && { judge_text: true as const }),
});

/** What of a spec decides a reward; an audit does not. */
export const decidingOf = <T extends KeptTexts & { audit?: unknown }>({
  log_texts: _,
  log_verdicts: __,
  judge_text: ___,
  audit: ____,
  ...deciding
}: T) => deciding;
