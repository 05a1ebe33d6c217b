// Validates a parsed request body. Errors name the field and the limit.
import type { z } from "zod";
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { type FieldFaults, fieldErrors, fieldFaults, SUGGESTING, withField } from "../../core/faults/field-errors.ts";
import { fieldPath } from "../../core/faults/json-fault.ts";
import { counted, type LimitName, theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";

type IssuePath = readonly (string | number)[];
interface Bounds {
  limit?: LimitName;
  fields?: Record<string, Bounds>;
}

const GROUP = { rollouts: { limit: "rollouts_per_group_max" }, prompt: { limit: "messages_max" } } as const;
const LABELS: Bounds = { limit: "verdict_candidates_max" };

/**
 * Length limits of arrays. They are checked before zod validates the elements, so that an array of a million
 * invalid elements does not create a million error objects.
 */
const ARRAYS: Bounds = {
  fields: {
    groups: { limit: "groups_max", fields: GROUP },
    ...GROUP,
    items: { limit: "verdict_items_max", fields: { pass_rates: LABELS } },
    spec: { fields: { format: { fields: { rules: { limit: "format_rules_max" } } } } },
    format: { fields: { rules: { limit: "format_rules_max" } } },
  },
};

/** The error message for a list that is too long. */
export const overLimit = (length: number, limit: LimitName): string => `${counted(length)}; ${theLimit(limit)}`;

function overlongArray(value: unknown, bounds: Bounds, path: IssuePath): FieldError | null {
  if (Array.isArray(value)) {
    if (bounds.limit !== undefined && value.length > LIMITS[bounds.limit]) {
      return { path: fieldPath(path), message: overLimit(value.length, bounds.limit) };
    }
    if (bounds.fields === undefined) return null;
    for (let i = 0; i < value.length; i++) {
      const fault = overlongField(value[i], bounds.fields, [...path, i]);
      if (fault !== null) return fault;
    }
    return null;
  }
  return bounds.fields === undefined ? null : overlongField(value, bounds.fields, path);
}

function overlongField(value: unknown, fields: Record<string, Bounds>, path: IssuePath): FieldError | null {
  if (typeof value !== "object" || value === null) return null;
  for (const name in fields) {
    const child = (value as Record<string, unknown>)[name];
    if (typeof child !== "object" || child === null) continue;
    const fault = overlongArray(child, fields[name] as Bounds, [...path, name]);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Builds the `invalid_request` error for a list of field errors.
 * @param total number of field errors, if `errors` contains only some of them
 * @param isLowerBound whether there may be more field errors than `total`
 */
export function invalidRequest(errors: readonly FieldError[], total = errors.length, isLowerBound = false): ApiError {
  // Shows a suggestion first: a misspelt field is reported both as unknown and as missing.
  const first = (errors.find(({ message }) => message.includes("; did you mean ")) ?? errors[0]) as FieldError;
  const more = total > 1 ? ` (and ${isLowerBound ? "at least " : ""}${total - 1} more)` : "";
  return new ApiError("invalid_request", `${first.path}: ${first.message}${more}`, { errors });
}

/** Parses a value nested in a body. Throws `invalid_request` with paths that start with `path`. */
export function validAt<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: IssuePath,
  how?: typeof SUGGESTING,
): z.output<S> {
  const parsed = schema.safeParse(value, how);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, value, path));
}

const refusal = ({ errors, total }: FieldFaults, isLowerBound = false) => invalidRequest(errors, total, isLowerBound);

function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidRequest([{ path: "$", message: "a JSON object is expected" }]);
}

/** Parses the body by the schema. Throws `invalid_request` with up to validation_errors_max field errors. */
export function validated<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const fault = overlongArray(requireObject(body), ARRAYS, []);
  if (fault !== null) throw invalidRequest([fault]);
  const parsed = schema.safeParse(body, SUGGESTING);
  if (parsed.success) return parsed.data;
  throw refusal(fieldFaults(parsed.error.issues, body));
}

/**
 * Creates a validator for requests with one long list. It checks elements one by one and stops at the maximum
 * number of errors.
 * @param accept fast path that skips the schema; must return true only for elements that the schema would
 *   return unchanged
 */
export function listValidator<S extends z.ZodObject, F extends keyof S["shape"] & string>(
  schema: S,
  field: F,
  accept: (element: unknown) => boolean = () => false,
): (body: unknown) => z.output<S> {
  const head = schema.omit({ [field]: true } as never) as unknown as z.ZodType<Record<string, unknown>>;
  const list = schema.shape[field] as unknown as z.ZodArray<z.ZodType>;
  return (body) => {
    const { [field]: elements, ...rest } = requireObject(body);
    const fault = overlongArray({ ...rest, [field]: elements }, ARRAYS, []);
    if (fault !== null) throw invalidRequest([fault]);
    const parsed = head.safeParse(rest, SUGGESTING);
    const issues: ValidationIssue[] = parsed.success ? [] : parsed.error.issues.map((issue) => withField(issue, field));
    let whole = true;
    if (!Array.isArray(elements) || elements.length === 0) {
      issues.push(...inside([field], list.safeParse(elements).error?.issues ?? []));
    } else {
      whole = parseElements(elements, list.element, accept, field, issues);
    }
    if (issues.length > 0 || !parsed.success) throw refusal(fieldFaults(issues, body), !whole);
    return { ...parsed.data, [field]: elements } as z.output<S>;
  };
}

type ValidationIssue = z.core.$ZodIssue;

const inside = (path: IssuePath, issues: readonly ValidationIssue[]): ValidationIssue[] =>
  issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));

/**
 * Replaces each element with its parsed value. Does so in place to save memory; no other code uses the list.
 * @returns whether all elements were checked; false if there were too many errors
 */
function parseElements(
  elements: unknown[],
  schema: z.ZodType,
  accept: (element: unknown) => boolean,
  field: string,
  issues: ValidationIssue[],
): boolean {
  let faulty = 0;
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (accept(element)) continue;
    if (faulty >= LIMITS.validation_errors_max) return false;
    const parsed = schema.safeParse(element, SUGGESTING);
    if (parsed.success) elements[i] = parsed.data;
    else {
      issues.push(...inside([field, i], parsed.error.issues));
      faulty += parsed.error.issues.length;
    }
  }
  return true;
}

export type BodyFields = Record<string, unknown>;

/** The body as an object. Throws `invalid_request` if it is not one. */
export function objectBody(body: unknown): BodyFields {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as BodyFields;
  throw invalidRequest([{ path: "$", message: "a JSON object is expected" }]);
}
