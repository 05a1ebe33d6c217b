// The setting `invalid`: the value of an answer that is invalid (cut off, refused or missing) rather than
// wrong.

import * as z from "zod";
import { said } from "#said";

/**
 * The value of an invalid answer, for kinds that compare answers. Never above 0, the value of a wrong answer,
 * since otherwise a policy would prefer invalid answers to wrong ones.
 */
export const InvalidSchema = z
  .number()
  .min(-1)
  .refine((worth) => worth <= 0, "must be at most 0, so that giving no answer never pays more than a wrong answer")
  .optional()
  .meta({
    maximum: 0,
    ...said("value of a rollout that is not an answer (cut off, refused, or empty); default 0, as for a wrong answer"),
  });

/** Leaves out `invalid` if it has its default value. */
export const leanInvalid = <T extends object>({ invalid, ...rest }: T & { invalid?: number | undefined }) => ({
  ...rest,
  ...(invalid !== undefined && invalid !== 0 && { invalid }),
});
