// Spec fields that decide which texts are stored. They never affect a reward.
import * as z from "zod";
import { said } from "#said";

/** Schemas of these fields, shared by both forms of a spec. */
export const KEPT_TEXTS = {
  log_texts: z.boolean().optional(),
  log_verdicts: z
    .boolean()
    .default(false)
    .meta(
      said("whether to store the verifier's answers, shortened, for GET /v1/groups/:id/verdicts and the group's page"),
    ),
};

export interface KeptTexts {
  /** If missing, the deployment's default applies. */
  log_texts?: boolean | undefined;
  log_verdicts?: true;
}

/** Fills in `log_texts`: the spec's value if set, else the deployment's. */
export const withLogTexts = <T extends KeptTexts>(
  spec: T,
  { log_texts = false }: { log_texts?: boolean | undefined },
) => ({
  ...spec,
  log_texts: spec.log_texts ?? log_texts,
});

/**
 * Drops `log_verdicts` if it has its default value, so that specs from before the field existed keep their
 * hash.
 */
export const leanTexts = <T extends { log_texts?: boolean | undefined; log_verdicts: boolean }>({
  log_verdicts,
  ...rest
}: T) => ({
  ...rest,
  // Reserves the field's position, so that filling in the value later does not change the order of keys.
  log_texts: rest.log_texts,
  ...(log_verdicts && { log_verdicts: true as const }),
});

/** The settings that decide a reward: everything except text storage and the audit. */
export const decidingOf = <T extends KeptTexts & { audit?: unknown }>({
  log_texts: _,
  log_verdicts: __,
  audit: ___,
  ...deciding
}: T) => deciding;
