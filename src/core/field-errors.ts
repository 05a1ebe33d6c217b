// Owns the wording of validation faults: zod's issues as field paths with messages that name the limit. Never quotes a value that is text.
import type { z } from "zod";
import type { FieldError } from "./errors.ts";
import { fieldPath } from "./json-fault.ts";
import { LIMITS } from "./limits.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];
type LimitName = keyof typeof LIMITS;

/** By field, without indices and without a leading `spec.`: which named limits bound it. */
export type FieldLimits = Readonly<Record<string, { min?: LimitName; max?: LimitName }>>;

/** Those of the edge's routes. */
const EDGE_LIMITS: FieldLimits = {
  deadline_ms: { min: "deadline_ms_min", max: "deadline_ms_max" },
  "groups.group_id": { max: "id_chars" },
  "groups.rollouts.length_tokens": { max: "overlong_tokens_max" },
  "items.length_tokens": { max: "overlong_tokens_max" },
  "overlong.max_tokens": { max: "overlong_tokens_max" },
  "overlong.cache_tokens": { max: "overlong_tokens_max" },
  "judge.samples": { max: "samples_max" },
  "judge.max_tokens": { max: "max_tokens_max" },
  "format.penalty": { max: "format_penalty_max" },
  "format.rules.regex": { max: "regex_chars" },
  "items.candidates": { min: "list_candidates_min", max: "verdict_candidates_max" },
  bootstrap: { max: "bootstrap_max" },
  group_size: { max: "rollouts_per_group_max" },
  group_window_ms: { max: "deadline_ms_max" },
  limit: { max: "page_rows_max" },
};

const UNITS: Record<string, string> = { string: "characters", array: "elements", object: "fields" };

function valueAt(root: unknown, path: Path): unknown {
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

function limitName(limits: FieldLimits, path: Path, side: "min" | "max"): string {
  const words = path.filter((part) => typeof part === "string");
  const key = (words[0] === "spec" ? words.slice(1) : words).join(".");
  const name = limits[key]?.[side];
  return name === undefined ? "" : ` (limit ${name})`;
}

function size(value: unknown, origin: string): string {
  if (typeof value === "number") return `${value}`;
  const length = (value as { length?: number } | undefined)?.length ?? 0;
  return `${length} ${UNITS[origin] ?? ""}`.trim();
}

/** Where a fault's path begins, and by which names its field's bounds go. */
interface Setting {
  prefix: Path;
  limits: FieldLimits;
}

type BoundIssue = z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall;

function boundMessage(issue: BoundIssue, value: unknown, path: Path, limits: FieldLimits): string {
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
  const allowed = unit === undefined ? `${bound}` : `${bound} ${unit}`;
  return `${size(value, issue.origin)}; must be ${word} ${allowed}${limitName(limits, path, big ? "max" : "min")}`;
}

function message(issue: Issue, value: unknown, path: Path, limits: FieldLimits): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined
        ? `required (${issue.expected})`
        : `expected ${issue.expected}, got ${typeName(value)}`;
    case "too_big":
    case "too_small":
      return boundMessage(issue, value, path, limits);
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((v) => JSON.stringify(v)).join(", ")}`;
    case "invalid_key":
      return "a key is not allowed here";
    default:
      return issue.message;
  }
}

/** Whether a union's branch refused the value as a whole, by its type or as a literal, and so was not the branch meant. */
function refusesWhole(branch: readonly Issue[]): boolean {
  return branch.some((issue) => issue.path.length === 0 && issue.code === "invalid_type");
}

/** The branch that the sender meant: the one whose type the value has; else nothing. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const fitting = branches.filter((branch) => !refusesWhole(branch));
  return fitting.length === 1 ? (fitting[0] as readonly Issue[]) : null;
}

function expectations(branches: readonly (readonly Issue[])[]): string {
  const words = branches.flat().map((issue) => {
    if (issue.code === "invalid_type") return issue.expected;
    return issue.code === "invalid_value" ? issue.values.map((v) => JSON.stringify(v)).join(" or ") : issue.message;
  });
  return [...new Set(words)].join(" or ");
}

function* flatten(issue: Issue, root: unknown, inside: Path, setting: Setting): Generator<FieldError> {
  const path = [...inside, ...issue.path.map((p) => (typeof p === "symbol" ? String(p) : p))];
  const full = [...setting.prefix, ...path];
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) yield { path: fieldPath([...full, key]), message: "unknown field" };
  } else if (issue.code === "invalid_union") {
    const meant = meantBranch(issue.errors);
    if (meant !== null) for (const inner of meant) yield* flatten(inner, root, path, setting);
    else {
      const got = typeName(valueAt(root, path));
      yield { path: fieldPath(full), message: `expected ${expectations(issue.errors)}, got ${got}` };
    }
  } else {
    yield { path: fieldPath(full), message: message(issue, valueAt(root, path), full, setting.limits) };
  }
}

/**
 * Zod's issues about `root`, which sits at `prefix` in the request; at most validation_errors_max of them.
 * @param limits names of the fields' bounds; default those of the edge's routes
 */
export function fieldErrors(
  issues: readonly Issue[],
  root: unknown,
  prefix: Path = [],
  limits: FieldLimits = EDGE_LIMITS,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of issues) {
    for (const error of flatten(issue, root, [], { prefix, limits })) {
      errors.push(error);
      if (errors.length >= LIMITS.validation_errors_max) return errors;
    }
  }
  return errors;
}
