// Fields of a spec that say which texts are stored. None of them decides a reward.
import * as z from "zod";
import { said } from "#said";

/** The fields of a spec of either form. */
export const KEPT_TEXTS = {
  log_texts: z.boolean().optional(),
  log_verdicts: z
    .boolean()
    .default(false)
    .meta(said("store what the verifier wrote, cut, for GET /v1/groups/:id/verdicts and the page of a group")),
};

export interface KeptTexts {
  /** Absent: as the deployment says. */
  log_texts?: boolean | undefined;
  log_verdicts?: true;
}

/** The spec with its `log_texts`: its own word, else the deployment's. */
export const withLogTexts = <T extends KeptTexts>(
  spec: T,
  { log_texts = false }: { log_texts?: boolean | undefined },
) => ({
  ...spec,
  log_texts: spec.log_texts ?? log_texts,
});

/** The rest without what is at its default, as of every spec from before the fields existed. */
export const leanTexts = <T extends { log_texts?: boolean | undefined; log_verdicts: boolean }>({
  log_verdicts,
  ...rest
}: T) => ({
  ...rest,
  // Keeps the field's place among the others where it is filled in later.
  log_texts: rest.log_texts,
  ...(log_verdicts && { log_verdicts: true as const }),
});

/** The settings of a spec that decide a reward; an audit does not. */
export const decidingOf = <T extends KeptTexts & { audit?: unknown }>({
  log_texts: _,
  log_verdicts: __,
  audit: ___,
  ...deciding
}: T) => deciding;
