// Parses request bodies as leniently as the vendor's own server: numbers and booleans may be strings. Rejects
// a second list of documents under another name. Native routes are strict.
import * as z from "zod";
import { invalidRequest } from "../../door/validation.ts";

type VendorBody = Readonly<Record<string, unknown>>;

const WHOLE = /^\s*[+-]?\d{1,15}(?:\.0+)?\s*$/;
/** Strings that pydantic, which these servers use, parses as booleans. */
const FLAGS: Readonly<Record<string, boolean>> = {
  ...{ true: true, t: true, yes: true, y: true, on: true, 1: true },
  ...{ false: false, f: false, no: false, n: false, off: false, 0: false },
};

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? innermost(schema.unwrap()) : schema;
}

function readAs(schema: z.core.$ZodType, value: unknown): unknown {
  const kind = innermost(schema);
  if (kind instanceof z.ZodNumber) return typeof value === "string" && WHOLE.test(value) ? Number(value) : value;
  if (!(kind instanceof z.ZodBoolean) || !["string", "number"].includes(typeof value)) return value;
  return FLAGS[`${value}`.trim().toLowerCase()] ?? value;
}

/** Converts strings such as `"2"` and `"true"` where the schema expects a number or a boolean. */
export function withVendorTypes(schema: z.ZodObject, body: VendorBody): Record<string, unknown> {
  const read = Object.entries(schema.shape).flatMap(([name, field]) =>
    Object.hasOwn(body, name) ? [[name, readAs(field as z.core.$ZodType, body[name])] as const] : [],
  );
  return { ...body, ...Object.fromEntries(read) };
}

/** Names that vendors use for the list of documents. */
const LISTS = ["documents", "texts", "input", "records", "items", "passages"];

/**
 * Throws `invalid_request` for a list of documents under a name that this vendor does not use. Otherwise one
 * of two lists would be ignored silently.
 */
export function requireOneList(schema: z.ZodObject, body: VendorBody): void {
  const known = Object.keys(schema.shape);
  const acceptedLists = LISTS.filter((name) => known.includes(name));
  const other = LISTS.find((name) => !known.includes(name) && Array.isArray(body[name]));
  if (other === undefined || acceptedLists.length === 0) return;
  const given = acceptedLists.filter((name) => body[name] != null);
  const message =
    given.length === 0
      ? `not supported here; send the list as ${acceptedLists.map((name) => `\`${name}\``).join(" or ")}`
      : `cannot be combined with \`${given[0]}\`; send one list`;
  throw invalidRequest([{ path: other, message }]);
}
