// Extracts the facts that a spec's signals need (reference, tests, ..) from the label, ground truth and
// dataset row of a one-sample request.
import type * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../../core/contract/any-json.ts";
import type { Group } from "../../../core/contract/group.ts";
import { ApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { CompiledSignal, CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import { missingFacts } from "../../../core/reward/facts.ts";
import { FactualGroupSchema, FactualRolloutSchema } from "../../../core/reward/requests.ts";
import { functionIn, holdsTests } from "../../../core/signals/test-rows.ts";
import { invalidRequest } from "../../door/validation.ts";

type FactRow = Readonly<Record<string, unknown>>;

/** Data of a sample in addition to its prompt and answer. */
export interface Stated {
  /** The label or ground truth as sent by the client. Omitted: read from the row's fields. */
  truth?: unknown;
  /** The dataset row, as far as the client sends it. */
  row: FactRow;
  /** Path of the label or row in the body, for error messages. */
  field: string;
}

/** Description of labels in the API reference. */
export const TRUTH_SAID =
  "reference or test cases, for specs that need them: a string, a list of strings, or an object, also as JSON text";

/**
 * Schema of the label or ground truth in a body.
 * @param before start of the field's description in the API reference
 */
export const truthField = (before = "") =>
  AnyJsonSchema.optional().meta(said(`${before === "" ? "" : `${before}; `}${TRUTH_SAID}`));

/** Facts by name: those of the whole group, and those of one rollout. */
interface Facts {
  group: FactRow;
  rollout: FactRow;
}

/** Fields of rows, and of objects nested in rows, that contain the correct answer. */
const TRUTHS = ["ground_truth", "expected_answer", "answer", "reference", "solution", "label", "target"] as const;

/** Fields of a row whose value is an object with further row fields. */
const NESTED = [
  "verifier_metadata",
  "metadata",
  "extra_info",
  "reward_model",
  "reward_spec",
  "kwargs",
  "verification_info",
] as const;

const isRow = (value: unknown): value is FactRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a string that looks like a JSON object or list. Returns other values unchanged. */
function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** One or several correct answers as strings; undefined if the value contains none. */
function answerIn(value: unknown): string | string[] | undefined {
  if (typeof value === "string") {
    const inner = opened(value);
    return (isRow(inner) ? answerIn(inner) : undefined) ?? (value.trim() === "" ? undefined : value);
  }
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (Array.isArray(value)) {
    const texts = value.map((element) => (isRow(element) || Array.isArray(element) ? undefined : answerIn(element)));
    return texts.length > 0 && texts.every((text) => typeof text === "string") ? (texts as string[]) : undefined;
  }
  if (!isRow(value)) return undefined;
  for (const name of TRUTHS) {
    const found = isRow(value[name]) ? undefined : answerIn(value[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Row field that states the number of samples per problem. */
const SIZE = "kritai_group_size";

/**
 * The group size stated in a row, and whether the row's `split` marks it as a validation sample. Throws
 * `invalid_request` for an invalid size.
 */
export function statedGroup(stated: Stated): { size?: number; validates: boolean } {
  const lookup = new Lookup(stated);
  const [size, split] = [lookup.get(SIZE), lookup.get("split")];
  const validates = typeof split === "string" && !/^train(ing)?$/i.test(split);
  if (size === undefined) return { validates };
  const number = Number(size);
  if (!Number.isInteger(number) || number < 1 || number > LIMITS.rollouts_per_group_max) {
    const limit = `rollouts_per_group_max = ${LIMITS.rollouts_per_group_max}`;
    throw invalidRequest([{ path: stated.field, message: `as ${SIZE}: must be a whole number from 1 to ${limit}` }]);
  }
  return { size: number, validates };
}

/** Looks up facts in a sample's row and label. */
class Lookup {
  readonly #places: readonly FactRow[];
  readonly #stated: Stated;

  constructor(stated: Stated) {
    const { row, truth } = stated;
    this.#stated = stated;
    this.#places = [row, ...NESTED.map((name) => opened(row[name])), opened(truth)].filter(isRow);
  }

  #named(name: string): unknown {
    return this.#places.map((place) => place[name]).find((value) => value !== undefined && value !== null);
  }

  get(fact: string): unknown {
    switch (fact) {
      case "reference":
        return answerIn(this.#named("reference")) ?? answerIn(this.#stated.truth) ?? this.#answer();
      case "test_cases":
        return this.#tests();
      default:
        return this.#named(fact);
    }
  }

  /** The row's tests in any supported format, with the function name if another field contains one. */
  #tests(): unknown {
    const named = [this.#named("test_cases"), this.#named("unit_tests"), this.#stated.truth];
    const test_cases = [...named, this.#named("ground_truth"), ...this.#places].find(holdsTests);
    const fn_name = this.#places.map(functionIn).find((name) => name !== null);
    return test_cases === undefined || fn_name === undefined ? test_cases : { test_cases, fn_name };
  }

  #answer = () => this.#places.map(answerIn).find((value) => value !== undefined);
}

const GROUP = "group.";
const isStated = (fact: string) => fact !== "step" && fact !== "length_tokens";

/** Whether a spec needs facts that come from a label or a row. */
export const needsStated = ({ facts }: CompiledSpec): boolean => facts.some(isStated);

/**
 * The facts that the spec needs, as far as the sample contains them.
 * @throws ApiError `invalid_request` if a fact is malformed
 */
export function statedFacts(stated: Stated, compiled: CompiledSpec): Facts {
  const lookup = new Lookup(stated);
  const facts = { group: {} as Record<string, unknown>, rollout: {} as Record<string, unknown> };
  for (const fact of compiled.facts.filter(isStated)) {
    const ofGroup = fact.startsWith(GROUP);
    const name = ofGroup ? fact.slice(GROUP.length) : fact;
    const value = lookup.get(name);
    if (value === undefined) continue;
    const schema = (ofGroup ? FactualGroupSchema : FactualRolloutSchema).shape[name];
    const { data, error } = schema.safeParse(value);
    if (error) throw invalidRequest(ofName(stated, name, error));
    facts[ofGroup ? "group" : "rollout"][name] = data;
  }
  const answer_type = lookup.get("answer_type");
  if ("reference" in facts.group && answer_type !== undefined) {
    const { data, error } = FactualGroupSchema.shape.answer_type.safeParse(answer_type);
    if (error) throw invalidRequest(ofName(stated, "answer_type", error));
    facts.group.answer_type = data;
  }
  for (const { signal, settings } of compiled.signals) {
    const fault = signal.groupFault?.(settings, facts.group) ?? null;
    if (fault !== null && fault.missing !== true)
      throw invalidRequest([{ path: stated.field, message: `${fault.path}: ${fault.message}` }]);
  }
  return facts;
}

/** Builds the error for a request in which no sample has the facts that a signal needs. */
export function lacking({ field }: Stated, signal: CompiledSignal, group: Group): ApiError {
  const [name = ""] = missingFacts(signal, group);
  const fault = signal.signal.groupFault?.(signal.settings, group) ?? null;
  const message =
    fault?.path === name
      ? `${fault.path}: ${fault.message}`
      : `carries no ${name}, which the signal ${signal.name} of the spec needs`;
  const detail = fault?.path === name ? `${field}: ${message}.` : `${field} ${message}.`;
  return new ApiError("facts_required", detail, { errors: [{ path: field, message }] });
}

/** Validation errors of a fact, with the path of the field from which the fact was read. */
const ofName = ({ field }: Stated, name: string, { issues }: z.ZodError): FieldError[] =>
  issues.map(({ path, message }) => ({ path: field, message: `as ${[name, ...path].join(".")}: ${message}` }));
