// Defines what a one-sample contract's own label, ground truth and row say of a problem, as the facts that a
// spec's signals need. Pure; knows no dialect.
import type * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../../core/contract/any-json.ts";
import type { Group } from "../../../core/contract/requests.ts";
import { ApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { CompiledSignal, CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import { missingFacts } from "../../../core/reward/facts.ts";
import { FactualGroupSchema, FactualRolloutSchema } from "../../../core/reward/requests.ts";
import { functionIn, holdsTests } from "../../../core/signals/test-rows.ts";
import { invalidRequest } from "../../door/validation.ts";

type FactRow = Readonly<Record<string, unknown>>;

/** A sample's statements besides its prompt and its answer. */
export interface Stated {
  /** Its label or ground truth, as it came; absent: the row's field of such a name. */
  truth?: unknown;
  /** The dataset's row as far as it is sent, by the names of the contract. */
  row: FactRow;
  /** Path of both in the body, for refusals. */
  field: string;
}

/** What is read of a label, for documents. */
export const TRUTH_SAID =
  "specs that need a reference or test cases take them from it (a text, several, or an object's fields; JSON text too)";

/** A body's label or ground truth; `before` is said of it first. */
export const truthField = (before = "") =>
  AnyJsonSchema.optional().meta(said(`${before === "" ? "" : `${before}; `}${TRUTH_SAID}`));

/** Facts by name: of all members of a group, and of one rollout. */
interface Facts {
  group: FactRow;
  rollout: FactRow;
}

/** Fields of rows, and of objects in them, that hold the right answer. */
const TRUTHS = ["ground_truth", "expected_answer", "answer", "reference", "solution", "label", "target"] as const;

/** Fields of a row that hold more of it. */
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

/** A text that is a JSON object or list, as what it holds; any other value as it is. */
function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A right answer, or several, as texts; undefined where the value is none. */
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

/** The field of a row that says how many samples its problem has. */
const SIZE = "kritai_group_size";

/**
 * A row's statements about its group: its size, and by its `split` that it is not for training. Throws
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

/** Looks a fact up among what a sample says. */
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

  /** Where the row's tests stand, in whatever form, with the function that another field names. */
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

/** Whether a spec needs anything that only a label or a row can tell. */
export const needsStated = ({ facts }: CompiledSpec): boolean => facts.some(isStated);

/**
 * The facts that the spec needs of a sample, as far as it carries them.
 * @throws ApiError `invalid_request` where one is not of its form
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

/** The refusal of samples of which none carries what the signal needs. */
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

/** A fact's faults, reported at the field that it was taken from. */
const ofName = ({ field }: Stated, name: string, { issues }: z.ZodError): FieldError[] =>
  issues.map(({ path, message }) => ({ path: field, message: `as ${[name, ...path].join(".")}: ${message}` }));
