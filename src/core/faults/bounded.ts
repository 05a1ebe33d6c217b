// Schemas that a named limit bounds, so that their refusal names it (field-errors.ts).
import * as z from "zod";
import { bound, type LimitName } from "./limit-advice.ts";

export const wholeFrom = (min: number, limit: LimitName) =>
  z
    .int()
    .min(min)
    .max(...bound(limit));

export const anyText = (limit: LimitName) => z.string().max(...bound(limit));

/** Not empty, as `someOf`. */
export const someText = (limit: LimitName) =>
  z
    .string()
    .min(1)
    .max(...bound(limit));

export const someOf = <T extends z.ZodType>(item: T, limit: LimitName) =>
  z
    .array(item)
    .min(1)
    .max(...bound(limit));
