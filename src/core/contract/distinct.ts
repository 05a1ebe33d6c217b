// Schemas of lists with distinct items; the OpenAPI document shows this as `uniqueItems`.
import type * as z from "zod";

/** Returns the schema of a list of strings or numbers, extended to reject repeated items. */
export function distinct<S extends z.ZodType<readonly (string | number)[]>>(list: S): S {
  return list.refine((items) => new Set(items).size === items.length, "must be distinct").meta({ uniqueItems: true });
}
