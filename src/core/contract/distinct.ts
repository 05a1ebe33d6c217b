// Schemas of arrays whose items must be distinct; the OpenAPI document shows the constraint as `uniqueItems`.
import type * as z from "zod";

/** Extends the schema of an array of strings or numbers so that it rejects repeated items. */
export function distinct<S extends z.ZodType<readonly (string | number)[]>>(list: S): S {
  return list.refine((items) => new Set(items).size === items.length, "must be distinct").meta({ uniqueItems: true });
}
