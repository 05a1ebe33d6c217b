// Owns turning a parsed body into a valid request, or into faults that name the field and the limit. Knows no route.
import type { z } from "zod";
import { ApiError, type FieldError } from "../core/errors.ts";
import { fieldErrors } from "../core/field-errors.ts";
import { fieldPath } from "../core/json-fault.ts";
import { LIMITS } from "../core/limits.ts";

type Path = readonly (string | number)[];
interface Bounds {
  limit?: keyof typeof LIMITS;
  instead?: string;
  fields?: Record<string, Bounds>;
}

const LABELS: Bounds = { limit: "verdict_candidates_max" };
const WINS: Bounds = { limit: "evaluation_candidates_max" };

/**
 * The arrays of all requests. They are measured before zod looks at their elements, so that an array of a million wrong
 * elements costs one comparison and not a million error objects.
 */
const ARRAYS: Bounds = {
  fields: {
    groups: {
      limit: "groups_max",
      instead: "send the rest in another request",
      fields: {
        rollouts: {
          limit: "rollouts_per_group_max",
          instead: "rewards are relative to the group: sample fewer rollouts",
        },
        prompt: { limit: "messages_max" },
      },
    },
    items: { limit: "verdict_items_max", instead: "send the rest in another request", fields: { pass_rates: LABELS } },
    lists: {
      limit: "evaluation_lists_max",
      instead: "evaluate a sample, or several parts",
      fields: { pass_rates: WINS, win_counts: WINS },
    },
    spec: { fields: { format: { fields: { rules: { limit: "format_rules_max" } } } } },
    format: { fields: { rules: { limit: "format_rules_max" } } },
  },
};

function overlongArray(value: unknown, bounds: Bounds, path: Path): FieldError | null {
  if (Array.isArray(value)) {
    if (bounds.limit !== undefined && value.length > LIMITS[bounds.limit]) {
      const instead = bounds.instead === undefined ? "" : `; ${bounds.instead}`;
      const message = `${value.length} elements; the limit ${bounds.limit} is ${LIMITS[bounds.limit]}${instead}`;
      return { path: fieldPath(path), message };
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

function overlongField(value: unknown, fields: Record<string, Bounds>, path: Path): FieldError | null {
  if (typeof value !== "object" || value === null) return null;
  for (const name in fields) {
    const child = (value as Record<string, unknown>)[name];
    if (typeof child !== "object" || child === null) continue;
    const fault = overlongArray(child, fields[name] as Bounds, [...path, name]);
    if (fault !== null) return fault;
  }
  return null;
}

/** The refusal for a list of field faults. */
export function invalidRequest(errors: readonly FieldError[]): ApiError {
  const first = errors[0] as FieldError;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new ApiError("invalid_request", `${first.path}: ${first.message}${more}`, { errors });
}

function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidRequest([{ path: "$", message: "a JSON object is expected" }]);
}

/** The body as the schema's output. Throws `invalid_request` with at most validation_errors_max faults. */
export function validated<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const fault = overlongArray(requireObject(body), ARRAYS, []);
  if (fault !== null) throw invalidRequest([fault]);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, body));
}

/**
 * A validator for a request with one long list. Elements are checked one by one and the work stops at the bound of
 * reported faults. `accept` may wave plainly valid elements through: it must hold only for what the schema returns unchanged.
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
    const errors: FieldError[] = [];
    const parsed = head.safeParse(rest);
    if (!parsed.success) errors.push(...fieldErrors(parsed.error.issues, rest));
    if (!Array.isArray(elements) || elements.length === 0) {
      const wrong = list.safeParse(elements);
      errors.push(...fieldErrors(wrong.error?.issues ?? [], elements, [field]));
    } else {
      parseElements(elements, list.element, accept, field, errors);
    }
    if (errors.length > 0 || !parsed.success) throw invalidRequest(errors.slice(0, LIMITS.validation_errors_max));
    return { ...parsed.data, [field]: elements } as z.output<S>;
  };
}

/** Replaces each element by its parsed form, in place: the list is the largest thing in memory and is ours alone. */
function parseElements(
  elements: unknown[],
  schema: z.ZodType,
  accept: (element: unknown) => boolean,
  field: string,
  errors: FieldError[],
): void {
  for (let i = 0; i < elements.length && errors.length < LIMITS.validation_errors_max; i++) {
    const element = elements[i];
    if (accept(element)) continue;
    const parsed = schema.safeParse(element);
    if (parsed.success) elements[i] = parsed.data;
    else errors.push(...fieldErrors(parsed.error.issues, element, [field, i]));
  }
}
