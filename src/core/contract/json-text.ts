// Serializes a reply according to its schema, so that real numbers always have a decimal point (`1.0`) and
// integers never do (`1`).
import type * as z from "zod";

/** Serializes like JSON.stringify, except for real numbers. Returns undefined where JSON.stringify does. */
export type JsonWriter = (value: unknown) => string | undefined;

/**
 * Serializes a real number with a decimal point, because Python parses `1` as an integer, and PyTorch cannot
 * take the mean of an integer tensor. Never writes `-0`.
 */
export function realText(value: number): string {
  if (!Number.isInteger(value)) return JSON.stringify(value);
  const text = `${value}`;
  return text.includes("e") ? text : `${text}.0`;
}

const asItIs: JsonWriter = (value) => JSON.stringify(value);
const real: JsonWriter = (value) => (typeof value === "number" ? realText(value) : JSON.stringify(value));

type Def = z.core.$ZodTypes["_zod"]["def"];
const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def;

/** Cached per schema, because replies share sub-schemas. */
const writers = new WeakMap<z.core.$ZodType, JsonWriter>();

/**
 * Returns a serializer for the schema's values. Numbers are written as reals unless the schema restricts them
 * to integers. Properties that the schema does not list are written unchanged, and the order of properties is
 * kept.
 */
export function jsonWriter(schema: z.core.$ZodType): JsonWriter {
  const known = writers.get(schema);
  if (known !== undefined) return known;
  const made = madeFor(defOf(schema));
  writers.set(schema, made);
  return made;
}

function madeFor(def: Def): JsonWriter {
  switch (def.type) {
    case "number":
      return (def as { format?: string }).format === "safeint" ? asItIs : real;
    case "nullable":
    case "optional":
      return jsonWriter(def.innerType);
    case "array":
      return arrayOf(jsonWriter(def.element));
    case "tuple":
      return def.items.some((item) => jsonWriter(item) !== asItIs) ? tupleOf(def.items.map(jsonWriter)) : asItIs;
    case "record":
      return objectOf({}, jsonWriter(def.valueType));
    case "object": {
      const members = Object.entries(def.shape).map(([name, member]) => [name, jsonWriter(member)] as const);
      return objectOf(Object.fromEntries(members), asItIs);
    }
    case "union":
      return unionOf(def.options);
    default:
      return asItIs;
  }
}

function arrayOf(element: JsonWriter): JsonWriter {
  if (element === asItIs) return asItIs;
  return (value) => (Array.isArray(value) ? tupleText(value, () => element) : JSON.stringify(value));
}

function tupleOf(items: readonly JsonWriter[]): JsonWriter {
  return (value) => (Array.isArray(value) ? tupleText(value, (i) => items[i] ?? asItIs) : JSON.stringify(value));
}

function tupleText(values: readonly unknown[], writerAt: (i: number) => JsonWriter): string {
  let text = "[";
  for (let i = 0; i < values.length; i++) text += `${i === 0 ? "" : ","}${writerAt(i)(values[i]) ?? "null"}`;
  return `${text}]`;
}

function objectOf(members: Readonly<Record<string, JsonWriter>>, others: JsonWriter): JsonWriter {
  if (others === asItIs && Object.values(members).every((member) => member === asItIs)) return asItIs;
  const known = new Map(Object.entries(members).map(([name, write]) => [name, { write, head: headOf(name) }]));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
    let text = "";
    for (const name of Object.keys(value)) {
      const { write, head } = known.get(name) ?? { write: others, head: headOf(name) };
      const member = write((value as Record<string, unknown>)[name]);
      if (member !== undefined) text += `${text === "" ? "" : ","}${head}${member}`;
    }
    return `{${text}}`;
  };
}

const headOf = (name: string) => `${JSON.stringify(name)}:`;

/** The JSON type that a schema accepts; null if it can be any type. */
function kindOf(schema: z.core.$ZodType): string | null {
  const def = defOf(schema);
  if (def.type === "nullable" || def.type === "optional") return kindOf(def.innerType);
  const { type } = def;
  if (type === "record" || type === "object") return "object";
  if (type === "array" || type === "tuple") return "array";
  return type === "number" ? type : null;
}

/**
 * Picks the union option that fits the value's JSON type. Among several object schemas, picks the one whose
 * literals match and whose required properties are all present.
 */
function unionOf(options: readonly z.core.$ZodType[]): JsonWriter {
  if (options.every((option) => jsonWriter(option) === asItIs)) return asItIs;
  return (value) => {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    const fitting = options.filter((option) => kindOf(option) === kind);
    const chosen = fitting.find((option) => fitting.length === 1 || fits(option, value));
    return chosen === undefined ? JSON.stringify(value) : jsonWriter(chosen)(value);
  };
}

function fits(option: z.core.$ZodType, value: unknown): boolean {
  const def = defOf(option);
  if (def.type !== "object") return true;
  return Object.entries(def.shape).every(([name, member]) => {
    const inner = defOf(member);
    const given = (value as Record<string, unknown>)[name];
    if (inner.type === "literal") return (inner.values as unknown[]).includes(given);
    return inner.type === "optional" || given !== undefined;
  });
}
