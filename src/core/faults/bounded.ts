// Schemas whose bound is a named limit, so that validation errors name the limit (see field-errors.ts).
import * as z from "zod";
import { bound, type LimitName } from "./limit-advice.ts";

export const wholeFrom = (min: number, limit: LimitName) =>
  z
    .int()
    .min(min)
    .max(...bound(limit));

export const anyText = (limit: LimitName) => z.string().max(...bound(limit));

/** A non-empty string. */
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
