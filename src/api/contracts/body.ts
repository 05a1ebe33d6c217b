// Owns reading a foreign contract's body: JSON, long lists measured first, then the contract's
// schema, which ignores what it does not know.
import type * as z from "zod";
import { fieldFaults, SUGGESTING } from "../../core/faults/field-errors.ts";
import type { LimitName } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { invalidRequest, overLimit } from "../http/validation.ts";

/** Which limit bounds which list of a body. */
export type ListLimits = Readonly<Record<string, LimitName>>;

/** The parsed JSON as the object that every contract expects. Throws `invalid_request`. */
export function objectBody(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidRequest([{ path: "$", message: "a JSON object is expected" }]);
}

/**
 * The body as the schema's output. Throws `invalid_request` naming field and limit; a list over its
 * limit costs no element's check.
 */
export function contractBody<S extends z.ZodType>(
  schema: S,
  body: Record<string, unknown>,
  lists: ListLimits,
): z.output<S> {
  for (const [name, limit] of Object.entries(lists)) {
    const list = body[name];
    if (!Array.isArray(list) || list.length <= LIMITS[limit]) continue;
    throw invalidRequest([{ path: name, message: overLimit(list.length, limit) }]);
  }
  const parsed = schema.safeParse(body, SUGGESTING);
  if (parsed.success) return parsed.data;
  const { errors, total } = fieldFaults(parsed.error.issues, body);
  throw invalidRequest(errors, total);
}
