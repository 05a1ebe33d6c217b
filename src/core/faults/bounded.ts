// Schemas that a named limit bounds, so that their refusal names it (field-errors.ts).
import * as z from "zod";
import { bound, type LimitName } from "./limit-advice.ts";

export const wholeFrom = (least: number, most: LimitName) =>
  z
    .int()
    .min(least)
    .max(...bound(most));

export const anyText = (most: LimitName) => z.string().max(...bound(most));

/** Not empty, as `someOf`. */
export const someText = (most: LimitName) =>
  z
    .string()
    .min(1)
    .max(...bound(most));

export const someOf = <T extends z.ZodType>(item: T, most: LimitName) =>
  z
    .array(item)
    .min(1)
    .max(...bound(most));
