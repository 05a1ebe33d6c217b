// Lists whose items differ, said so in the OpenAPI document too.
import type * as z from "zod";

/** The schema of a list of strings or numbers, refused where one stands twice. */
export function distinct<S extends z.ZodType<readonly (string | number)[]>>(list: S): S {
  return list.refine((items) => new Set(items).size === items.length, "must be distinct").meta({ uniqueItems: true });
}
