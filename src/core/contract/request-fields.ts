// Schemas of single fields that several requests have.
import * as z from "zod";
import { bound, instead, type LimitName } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { fitsBytes } from "./text-bytes.ts";

export function boundedText(name: LimitName) {
  const limit = LIMITS[name];
  const message = `longer than the limit ${name} = ${limit} bytes of UTF-8${instead(name)}`;
  return z
    .string()
    .refine((t) => fitsBytes(t, limit), { message })
    .meta({ maxLength: limit });
}

/**
 * A string schema whose pattern also limits the length. The error message names the pattern and the limit.
 */
export const grammar = (expression: string, limit: LimitName) =>
  z.string().regex(new RegExp(`^${expression}$`), `must match ${expression} (limit ${limit})`);

export const RunIdSchema = grammar(`[A-Za-z0-9._:-]{1,${LIMITS.id_chars}}`, "id_chars");

export const StepSchema = z
  .int()
  .min(0)
  .max(...bound("step_max"));

/** A short name, such as a chat role. */
export const WordSchema = z
  .string()
  .min(1)
  .max(...bound("name_chars"));

export const LanguageSchema = grammar(`[A-Za-z0-9+#._-]{1,${LIMITS.language_chars}}`, "language_chars");

/** Time from the request to the reply, in milliseconds. */
export const DeadlineSchema = z
  .int()
  .min(...bound("deadline_ms_min"))
  .max(...bound("deadline_ms_max"))
  .default(LIMITS.deadline_ms_default);

export const SpecNameSchema = grammar(`[a-z0-9][a-z0-9._-]{0,${LIMITS.name_chars - 1}}`, "name_chars");
