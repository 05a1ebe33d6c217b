// The parameters that the code reads in the OpenAPI document. Must not know routes.
import * as z from "zod";

/** The value of a parameter's text: the number behind a numeral, else the text that is asked for. */
function documented(field: z.core.$ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault) {
    return documented(field.def.innerType);
  }
  if (field instanceof z.ZodPipe)
    return field.def.out instanceof z.ZodNumber ? field.def.out : documented(field.def.in);
  return field as z.ZodType;
}

/**
 * A query's schema for the document, out of the schema that reads the query: a document says of a
 * numeral that it is a number and which. What may be left out stays so; defaults are in the
 * descriptions.
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
