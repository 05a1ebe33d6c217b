// Metadata that an owner attaches to a run: flat JSON of limited size.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** For example `{lr, commit, model, notes}`: strings, finite numbers, booleans and nulls by name. */
export const RunMetadataSchema = z
  .record(
    z
      .string()
      .max(...bound("metadata_name_chars"))
      .regex(NAME, "must begin with a letter or _ and contain only letters, digits, and _ . -"),
    z.union([z.string().max(...bound("metadata_text_chars")), z.number(), z.boolean(), z.null()]),
  )
  .refine((given) => Object.keys(given).length <= LIMITS.metadata_fields_max, {
    message: `more than metadata_fields_max = ${LIMITS.metadata_fields_max} fields`,
  });

export type RunMetadata = z.output<typeof RunMetadataSchema>;
