// Converts zod issues to field paths with messages that name the limit. Messages never quote string values.
import type { z } from "zod";
import type { FieldError } from "./errors.ts";
import { fieldPath } from "./json-fault.ts";
import { counted, instead, isLimitName, type LimitName } from "./limit-advice.ts";
import { LIMITS } from "./limits.ts";
import { didYouMean } from "./suggestion.ts";

type Issue = z.core.$ZodIssue;

/** An issue about unknown fields, extended by `SUGGESTING` with the fields that the object does have. */
type UnknownFields = z.core.$ZodIssueUnrecognizedKeys & { known?: readonly string[] };
type FieldPath = readonly (string | number)[];

/**
 * Names of limits by field path (without array indices), for schemas that do not state the limit with `bound`
 * from limit-advice.ts.
 */
export type FieldLimits = Readonly<Record<string, { min?: LimitName; max?: LimitName }>>;

/** Limits that apply to the edge's routes. */
const EDGE_LIMITS: FieldLimits = {
  deadline_ms: { min: "deadline_ms_min", max: "batch_deadline_ms_max" },
};

/**
 * Parse context for `safeParse`. Adds the object's known fields to an issue about unknown fields, because zod
 * exposes the schema only in this callback.
 */
export const SUGGESTING: z.core.ParseContext<Issue> = {
  error(issue) {
    const { shape } = (issue.inst?._zod.def ?? {}) as { shape?: object };
    if (issue.code === "unrecognized_keys" && shape !== undefined) issue.known = Object.keys(shape);
    return undefined;
  },
};

/**
 * Adds `name` to the known fields of an issue. For a field that was removed from the object before
 * validation.
 */
export function withField(issue: Issue, name: string): Issue {
  if (issue.code !== "unrecognized_keys" || issue.path.length > 0) return issue;
  return { ...issue, known: [...((issue as UnknownFields).known ?? []), name] } as Issue;
}

const UNITS: Record<string, string> = { string: "character", array: "element", object: "field" };

function valueAt(root: unknown, path: FieldPath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large for a double";
  if (typeof value === "number" && !Number.isSafeInteger(value)) return `${value}`;
  return typeof value;
}

/**
 * The limit's name in parentheses, followed by advice on what to do instead. Errors of the gateway omit the
 * advice, because the edge is the gateway's only client.
 */
function limitText(issue: BoundIssue, path: FieldPath, limits: FieldLimits): string {
  const side = issue.code === "too_big" ? "max" : "min";
  const key = path.filter((part) => typeof part === "string").join(".");
  const stated = issue.message ?? "";
  const limit = isLimitName(stated) ? stated : issue.origin === "int" ? "integer_max" : undefined;
  const name = limit ?? limits[key]?.[side];
  if (name === undefined) return "";
  return ` (limit ${name})${limit !== undefined || limits === EDGE_LIMITS ? instead(name) : ""}`;
}

function size(value: unknown, unit: string | undefined): string {
  if (typeof value === "number") return `${value}`;
  const length = (value as { length?: number } | undefined)?.length ?? 0;
  return unit === undefined ? `${length}` : counted(length, unit);
}

type BoundIssue = z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall;

function boundMessage(issue: BoundIssue, value: unknown, path: FieldPath, limits: FieldLimits): string {
  const big = issue.code === "too_big";
  const bound = big ? issue.maximum : issue.minimum;
  const word = big
    ? issue.inclusive === false
      ? "below"
      : "at most"
    : issue.inclusive === false
      ? "above"
      : "at least";
  const unit = UNITS[issue.origin];
  const allowed = unit === undefined ? `${bound}` : counted(Number(bound), unit);
  return `${size(value, unit)}; must be ${word} ${allowed}${limitText(issue, path, limits)}`;
}

/** Lists the allowed values and, if a string looks like a misspelling of one of them, adds a suggestion. */
function oneOf(values: readonly unknown[], value: unknown): string {
  const texts = values.filter((value) => typeof value === "string");
  const suggestion = typeof value === "string" ? didYouMean(value, texts) : "";
  return `${values.length === 1 ? "" : "one of "}${values.map((value) => JSON.stringify(value)).join(", ")}${suggestion}`;
}

function message(issue: Issue, value: unknown, path: FieldPath, limits: FieldLimits): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined
        ? `required (${issue.expected})`
        : `expected ${issue.expected}, got ${typeName(value)}`;
    case "too_big":
    case "too_small":
      return boundMessage(issue, value, path, limits);
    case "invalid_value":
      return `must be ${oneOf(issue.values, value)}`;
    case "invalid_key": {
      const [inner] = issue.issues;
      const why = inner === undefined ? "not allowed here" : message(inner, path.at(-1), path, limits);
      return `its name: ${why}`;
    }
    default:
      return issue.message;
  }
}

/** The field whose presence distinguishes the two forms of a spec. */
const TELLING = "signals";

/**
 * Whether a branch of a union rejects the value as a whole (by its type, as a literal or by the TELLING
 * field), so that the sender cannot have meant this branch.
 */
function refusesWhole(branch: readonly Issue[], value: unknown): boolean {
  return branch.some((issue) => {
    // An object or an array cannot be a misspelt name.
    if (issue.code === "invalid_value") return issue.path.length === 0 && typeof value === "object";
    if (issue.code !== "invalid_type") return false;
    if (issue.path.length === 0) return true;
    // Either this form requires the field and it is missing, or this form forbids the field and it is
    // present.
    const missing = valueAt(value, [TELLING]) === undefined;
    return issue.path.length === 1 && issue.path[0] === TELLING && (missing || issue.expected === "never");
  });
}

/**
 * The only branch that fits the value's type, which must be the one that the sender meant. null if no branch
 * or several branches fit.
 */
function meantBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | null {
  const fitting = branches.filter((branch) => !refusesWhole(branch, value));
  return fitting.length === 1 ? (fitting[0] as readonly Issue[]) : null;
}

function expectations(branches: readonly (readonly Issue[])[]): string {
  const words = branches.flat().map((issue) => {
    if (issue.code === "invalid_type") return issue.expected;
    return issue.code === "invalid_value" ? issue.values.map((v) => JSON.stringify(v)).join(" or ") : issue.message;
  });
  return [...new Set(words)].join(" or ");
}

/** A request's errors: the first few as messages, and their total number. */
export interface FieldFaults {
  errors: FieldError[];
  total: number;
}

/** Sorts issues: missing fields first, because they are the most likely cause; unknown fields last. */
function ordered(issues: readonly Issue[], root: unknown, inside: FieldPath): Issue[] {
  const ranks: [Issue[], Issue[], Issue[]] = [[], [], []];
  issues.forEach((issue, i) => {
    if (isDoubled(issue, issues[i + 1])) return;
    const typed = issue.code === "invalid_type" || issue.code === "invalid_union";
    const missing = typed && valueAt(root, pathOf(issue, inside)) === undefined;
    ranks[issue.code === "unrecognized_keys" ? 2 : missing ? 0 : 1].push(issue);
  });
  return ranks.flat();
}

/**
 * Whether an issue duplicates the next one. For an integer beyond the safe range, zod reports both the
 * integer bound and the field's bound.
 */
function isDoubled(issue: Issue, next: Issue | undefined): boolean {
  if (issue.code !== next?.code || (issue.code !== "too_big" && issue.code !== "too_small")) return false;
  return issue.origin === "int" && fieldPath(pathOf(issue, [])) === fieldPath(pathOf(next, []));
}

const pathOf = (issue: Issue, inside: FieldPath): FieldPath => [
  ...inside,
  ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part)),
];

/** Collects errors below a path prefix and names the limits that apply to the fields. */
class Faults {
  readonly found: FieldFaults = { errors: [], total: 0 };
  private readonly prefix: FieldPath;
  private readonly limits: FieldLimits;

  constructor(prefix: FieldPath, limits: FieldLimits) {
    this.prefix = prefix;
    this.limits = limits;
  }

  addAll(issues: readonly Issue[], root: unknown, inside: FieldPath): void {
    for (const issue of ordered(issues, root, inside)) this.add(issue, root, pathOf(issue, inside));
  }

  private add(issue: Issue, root: unknown, path: FieldPath): void {
    const value = valueAt(root, path);
    if (issue.code === "unrecognized_keys") {
      // A custom message of the schema may say where the field belongs.
      const stated = issue.message.startsWith("Unrecognized") ? null : issue.message;
      const { known = [] } = issue as UnknownFields;
      for (const key of issue.keys) this.say([...path, key], () => stated ?? `unknown field${didYouMean(key, known)}`);
    } else if (issue.code === "invalid_union" && issue.inclusive !== false && issue.options !== undefined) {
      const words = oneOf(issue.options, value);
      this.say(path, () => (value === undefined ? `required (${words})` : `must be ${words}`));
    } else if (issue.code === "invalid_union") {
      const branch = meantBranch(issue.errors, value);
      if (branch !== null) this.addAll(branch, root, path);
      else this.say(path, () => unionMessage(issue, value));
    } else {
      this.say(path, () => message(issue, value, [...this.prefix, ...path], this.limits));
    }
  }

  /** Counts the error, and builds its message only if the error will be reported. */
  private say(path: FieldPath, words: () => string): void {
    if (this.found.total++ >= LIMITS.validation_errors_max) return;
    this.found.errors.push({ path: fieldPath([...this.prefix, ...path]), message: words() });
  }
}

type UnionIssue = Pick<z.core.$ZodIssueInvalidUnion, "errors"> & { options?: readonly unknown[] };

function unionMessage({ errors, options }: UnionIssue, value: unknown): string {
  // If the discriminator field has an unknown value, zod tries no branch.
  const expected = errors.length === 0 ? (options ?? []).join(" or ") : expectations(errors);
  return value === undefined ? `required (${expected})` : `expected ${expected}, got ${typeName(value)}`;
}

/**
 * Converts zod's issues about `root`, which is located at `prefix` in the request, to the total number of
 * errors and the messages of the first validation_errors_max errors.
 * @param limits names of limits per field; default: those of the edge's routes
 */
export function fieldFaults(
  issues: readonly Issue[],
  root: unknown,
  prefix: FieldPath = [],
  limits: FieldLimits = EDGE_LIMITS,
): FieldFaults {
  const faults = new Faults(prefix, limits);
  faults.addAll(issues, root, []);
  return faults.found;
}

/** Like `fieldFaults`, but without the total number. */
export const fieldErrors = (...input: Parameters<typeof fieldFaults>): FieldError[] => fieldFaults(...input).errors;
