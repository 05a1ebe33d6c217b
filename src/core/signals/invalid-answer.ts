// Defines what an answer is worth that is none: wrong, unless the spec punishes it more.

import * as z from "zod";
import { said } from "#said";

/**
 * For kinds that compare an answer with something. Never above 0: a wrong answer is worth 0, and a policy
 * would rather be invalid than wrong.
 */
export const InvalidSchema = z
  .number()
  .min(-1)
  .refine((worth) => worth <= 0, "must be at most 0: a policy that would be wrong could give no answer instead")
  .optional()
  .meta({
    maximum: 0,
    ...said("what an answer is worth that is none (cut off, refused, no answer at all); default 0, as wrong"),
  });

/** Settings without this one at its default. */
export const leanInvalid = <T extends object>({ invalid, ...rest }: T & { invalid?: number | undefined }) => ({
  ...rest,
  ...(invalid !== undefined && invalid !== 0 && { invalid }),
});
