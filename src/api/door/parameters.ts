// Schemas and errors for path and query parameters.

import * as z from "zod";
import { said } from "#said";
import { StepSchema } from "../../core/contract/request-fields.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { fieldErrors, SUGGESTING } from "../../core/faults/field-errors.ts";
import { bound, type LimitName } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { AppContext } from "./scope.ts";
import { invalidRequest } from "./validation.ts";

/** Parses a path parameter. Throws `not_found` if it is invalid. */
export function pathParameter<T>(c: AppContext, name: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(c.req.param(name));
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error.issues, c.req.param(name), [name]);
  throw new ApiError("not_found", `The path's ${name} is not a valid name or id.`, { errors });
}

/** Schema of a query parameter that is a number, which is validated by the given schema. */
export const numberText = (number: z.ZodNumber) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number")
    .transform(Number)
    .pipe(number);

/** Schema of a query parameter that is an integer up to a named limit. */
export const wholeNumber = (min: number, max: LimitName) =>
  numberText(
    z
      .int()
      .min(min)
      .max(...bound(max)),
  );

/** Query parameters for paging. `cursor` is opaque; `limit` defaults to page_rows. */
export const PageQuerySchema = z.strictObject({
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be an unchanged next_cursor that the same list returned")
    .nullable()
    .default(null)
    .meta(said("`next_cursor` of the previous page")),
  limit: wholeNumber(1, "page_rows_max")
    .default(LIMITS.page_rows)
    .meta(said(`rows per page; default ${LIMITS.page_rows}`)),
});

/** Query parameters for paging through a run's groups; `step` selects a single step. */
export const GroupsQuerySchema = PageQuerySchema.extend({
  step: numberText(StepSchema).nullable().default(null).meta(said("only groups of this step")),
});

const NoneSchema = z.strictObject({});

/**
 * Rejects all query parameters and option headers, so that an option meant for another route is not silently
 * ignored.
 */
export function noQueryParameters(c: AppContext): void {
  queryParameters(c, NoneSchema);
  const headers = Object.keys(c.req.header()).filter((name) => name.startsWith("kritai-"));
  if (headers.length === 0) return;
  throw invalidRequest(headers.map((path) => ({ path, message: "this route reads no options from headers" })));
}

/**
 * Parses the query parameters by the schema. Rejects unknown and repeated parameters.
 * @param headers header that supplies a parameter's value if the URL does not, by parameter
 */
export function queryParameters<S extends z.ZodType>(
  c: AppContext,
  schema: S,
  headers: Readonly<Record<string, string>> = {},
): z.output<S> {
  const given: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers)) {
    const value = c.req.header(header);
    if (value !== undefined) given[name] = value;
  }
  const queried = c.req.queries();
  for (const [name, values] of Object.entries(queried)) {
    if (values.length > 1) throw invalidRequest([{ path: name, message: "given more than once" }]);
    given[name] = values[0] as string;
  }
  const parsed = schema.safeParse(given, SUGGESTING);
  if (parsed.success) return parsed.data;
  // Converts digits to numbers, so that messages about bounds quote the number and not the string's length.
  const entries = Object.entries(given).map(([name, text]) => [name, /^\d+$/.test(text) ? Number(text) : text]);
  const faults = fieldErrors(parsed.error.issues, Object.fromEntries(entries));
  const spelled = (path: string) => (queried[path] === undefined ? (headers[path] ?? path) : path);
  throw invalidRequest(faults.map(({ path, message }) => ({ path: spelled(path), message })));
}
