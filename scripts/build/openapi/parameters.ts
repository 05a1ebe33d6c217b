// Query parameters in the OpenAPI document, made from the schemas that parse them. Independent of routes.
import * as z from "zod";

/** The schema of a parameter's value: a number for a numeral, otherwise the string. */
function documented(field: z.core.$ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault) {
    return documented(field.def.innerType);
  }
  if (field instanceof z.ZodPipe)
    return field.def.out instanceof z.ZodNumber ? field.def.out : documented(field.def.in);
  return field as z.ZodType;
}

/**
 * Converts the schema that parses a query to the schema for the document, in which numerals are numbers.
 * Optional parameters stay optional; their defaults are in the descriptions.
 */
export function queryOf(schema: z.ZodObject): z.ZodObject {
  const entries = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const shown = documented(field);
    const { description } = field.meta() ?? {};
    const optional = field.safeParse(undefined).success ? shown.optional() : shown;
    return [name, description === undefined ? optional : optional.meta({ description })];
  });
  return z.object(Object.fromEntries(entries));
}
