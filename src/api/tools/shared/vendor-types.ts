// Reads a vendor's body as its own server does: numbers and flags that clients send as texts, and one
// list of documents under one name. Native routes stay strict.
import * as z from "zod";
import { invalidRequest } from "../../door/validation.ts";

type VendorBody = Readonly<Record<string, unknown>>;

const WHOLE = /^\s*[+-]?\d{1,15}(?:\.0+)?\s*$/;
/** Words that pydantic, on which these servers stand, reads as a flag. */
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

/**
 * The body with `"2"` as 2 and `"true"` as true where the schema's own fields are such; the rest as it
 * is.
 */
export function withVendorTypes(schema: z.ZodObject, body: VendorBody): Record<string, unknown> {
  const read = Object.entries(schema.shape).flatMap(([name, field]) =>
    Object.hasOwn(body, name) ? [[name, readAs(field as z.core.$ZodType, body[name])] as const] : [],
  );
  return { ...body, ...Object.fromEntries(read) };
}

/** Names under which some vendor takes the list of what is ranked. */
const LISTS = ["documents", "texts", "input", "records", "items", "passages"];

/**
 * Refuses a list under a name that the dialect does not read: of two lists one would be ranked in
 * silence.
 * @throws ApiError `invalid_request`
 */
export function requireOneList(schema: z.ZodObject, body: VendorBody): void {
  const known = Object.keys(schema.shape);
  const acceptedLists = LISTS.filter((name) => known.includes(name));
  const other = LISTS.find((name) => !known.includes(name) && Array.isArray(body[name]));
  if (other === undefined || acceptedLists.length === 0) return;
  const given = acceptedLists.filter((name) => body[name] != null);
  const message =
    given.length === 0
      ? `not read here; send the list as ${acceptedLists.map((name) => `\`${name}\``).join(" or ")}`
      : `given beside \`${given[0]}\`; send one list`;
  throw invalidRequest([{ path: other, message }]);
}
