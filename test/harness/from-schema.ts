// Values that fit a JSON schema of /openapi.json, for property tests.
import fc from "./property.ts";

export type Schema = Readonly<Record<string, unknown>>;

export interface Schemas {
  components: { schemas: Readonly<Record<string, Schema>> };
}

/** Values that fit `schema`. A text is one of `texts`, or a short name, if its pattern allows it. */
export function fitting(document: Schemas, schema: Schema, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const inner = (of: unknown): fc.Arbitrary<unknown> => fitting(document, of as Schema, texts);
  const { $ref: ref, enum: words, const: only, type } = schema;
  if (typeof ref === "string") return inner(document.components.schemas[ref.split("/").at(-1) ?? ""]);
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if ("const" in schema) return fc.constant(only);
  const one = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(one)) return fc.oneof(...one.map(inner));
  if (type === "object") return anObject(schema, inner);
  if (type === "array") {
    const { minItems = 0, maxItems = 4 } = schema as { minItems?: number; maxItems?: number };
    return fc.array(inner(schema.items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
  }
  if (type === "string") return aText(schema, texts);
  if (type === "integer" || type === "number") return aNumber(schema);
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  return fc.constantFrom("x", 1, null, true);
}

interface ObjectBounds {
  additionalProperties?: unknown;
  minProperties?: number;
  maxProperties?: number;
}

function anObject(schema: Schema, inner: (of: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, of]) => [
      name,
      required.includes(name) ? inner(of) : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, inner(of)),
    ]),
  );
  const { additionalProperties: others, minProperties = 0, maxProperties = 99 } = schema as ObjectBounds;
  const named =
    typeof others !== "object"
      ? fc.constant({})
      : fc.dictionary(fc.constantFrom("a", "b", "base"), inner(others), { minKeys: minProperties, maxKeys: 3 });
  const whole = fc.tuple(fc.record(fields), named).map(([of, more]) => {
    // As JSON would carry it: a field that is undefined is not there.
    const all: Record<string, unknown> = { ...more };
    for (const [name, value] of Object.entries(of)) if (value !== undefined) all[name] = value;
    return all;
  });
  return whole.filter((all) => {
    const count = Object.keys(all).length;
    return count >= minProperties && count <= maxProperties;
  });
}

function aText(schema: Schema, texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const {
    minLength = 0,
    maxLength = 20,
    pattern,
  } = schema as {
    minLength?: number;
    maxLength?: number;
    pattern?: string;
  };
  const short = fc.string({
    unit: fc.constantFrom("a", "b", "0", "_"),
    minLength: Math.max(1, minLength),
    maxLength: Math.max(minLength, Math.min(maxLength, 8)),
  });
  if (pattern === undefined) return fc.oneof(texts, short);
  return fc.oneof(texts, short, fc.stringMatching(new RegExp(pattern)));
}

function aNumber(schema: Schema): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, type } = schema as Record<string, number>;
  const least = minimum ?? exclusiveMinimum ?? -10;
  const most = maximum ?? exclusiveMaximum ?? Math.max(least + 10, 10);
  const whole = fc.integer({ min: Math.ceil(least), max: Math.floor(most) });
  const any =
    (type as unknown) === "integer"
      ? whole
      : fc.oneof(fc.constantFrom(0, 1, 2), whole, fc.double({ min: least, max: most, noNaN: true }));
  return any.filter((n) => n >= least && n <= most && n !== exclusiveMinimum && n !== exclusiveMaximum);
}
