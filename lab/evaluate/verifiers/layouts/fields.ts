// Fields that several layouts have.
import * as z from "zod";

export const text = z.string().min(1);

/** An id may be a number; left out, null and empty are one. */
export const optional = z
  .union([z.string(), z.int()])
  .nullish()
  .transform((value) => (value == null || value === "" ? null : String(value)));
