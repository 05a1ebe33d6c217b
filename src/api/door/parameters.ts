// Path and query parameters: their schemas and faults.

import * as z from "zod";
import { said } from "#said";
import { StepSchema } from "../../core/contract/requests.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { fieldErrors, SUGGESTING } from "../../core/faults/field-errors.ts";
import { bound, type LimitName } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { AppContext } from "./scope.ts";
import { invalidRequest } from "./validation.ts";

/** A path parameter; one that cannot name anything is `not_found`. */
export function pathParameter<T>(c: AppContext, name: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(c.req.param(name));
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error.issues, c.req.param(name), [name]);
  throw new ApiError("not_found", `The path's ${name} cannot be the name of anything here.`, { errors });
}

/** A number of the schema as a query parameter's text. */
export const numberText = (number: z.ZodNumber) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number")
    .transform(Number)
    .pipe(number);

/** A whole number up to a named limit as a query parameter. */
export const wholeNumber = (min: number, max: LimitName) =>
  numberText(
    z
      .int()
      .min(min)
      .max(...bound(max)),
  );

/** Paging: `cursor` is opaque; `limit` defaults to page_rows and is at most page_rows_max. */
export const PageQuerySchema = z.strictObject({
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be a next_cursor of the same list, unchanged")
    .nullable()
    .default(null)
    .meta(said("next_cursor of the page before")),
  limit: wholeNumber(1, "page_rows_max")
    .default(LIMITS.page_rows)
    .meta(said(`rows a page; default ${LIMITS.page_rows}`)),
});

/** Paging within a run; `step` narrows to one step. */
export const GroupsQuerySchema = PageQuerySchema.extend({
  step: numberText(StepSchema).nullable().default(null).meta(said("only this step's groups")),
});

const NoneSchema = z.strictObject({});

/**
 * Refuses query parameters where none are taken: one that is meant for another route would be
 * ignored unnoticed.
 */
export function noQueryParameters(c: AppContext): void {
  queryParameters(c, NoneSchema);
}

/**
 * The query parameters as the schema's output; unknown and repeated ones are refused.
 * @param headers which header may stand for which parameter that the URL lacks
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
  // A message about a bound quotes the number, not how many digits its text has.
  const entries = Object.entries(given).map(([name, text]) => [name, /^\d+$/.test(text) ? Number(text) : text]);
  const faults = fieldErrors(parsed.error.issues, Object.fromEntries(entries));
  const spelled = (path: string) => (queried[path] === undefined ? (headers[path] ?? path) : path);
  throw invalidRequest(faults.map(({ path, message }) => ({ path: spelled(path), message })));
}
