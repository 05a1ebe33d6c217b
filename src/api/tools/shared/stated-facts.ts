// Owns what a one-sample contract's own label, ground truth and row say of a problem, as the facts
// that a spec's signals need. Pure; knows no dialect.
import type * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../../core/contract/any-json.ts";
import { ApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import { whoNeeds } from "../../../core/reward/facts.ts";
import { FactualGroupSchema, FactualRolloutSchema } from "../../../core/reward/requests.ts";
import { itemNames } from "../../../core/signals/sample-template.ts";
import { invalidRequest } from "../../door/validation.ts";

type FactRow = Readonly<Record<string, unknown>>;

/** What a sample says beside its prompt and its answer. */
export interface Stated {
  /** Its label or ground truth, as it came; absent: the row's field of such a name. */
  truth?: unknown;
  /** The dataset's row as far as it is sent, by the names of the contract. */
  row: FactRow;
  /** Where both stand in the body, for refusals. */
  field: string;
}

/** What is read of a label, for documents. */
export const TRUTH_SAID =
  "specs that need a reference, test cases or a row take them from it (a text, several, or an object's fields; JSON text too)";

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
const NESTED = ["verifier_metadata", "metadata", "extra_info", "reward_model", "reward_spec", "kwargs"] as const;

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

/** Inputs and outputs of programs, in the forms in which datasets of code hold them. */
function casesIn(value: unknown): unknown {
  const held = opened(value);
  if (isRow(held)) {
    const { inputs, outputs, fn_name } = held;
    const paired = Array.isArray(inputs) && Array.isArray(outputs) && inputs.length === outputs.length;
    // A function that is called by its name has no standard input.
    if (!paired || fn_name != null) return undefined;
    return inputs.map((stdin, i) => ({ stdin, stdout: (outputs as unknown[])[i] }));
  }
  if (!Array.isArray(held)) return undefined;
  return held.map((testCase) => {
    if (!isRow(testCase) || !("output" in testCase) || "stdout" in testCase) return testCase;
    const { input, output, ...rest } = testCase;
    return { ...rest, ...(input !== undefined && { stdin: input }), stdout: output };
  });
}

/** The field of a row that says how many samples its problem has. */
const SIZE = "kritai_group_size";

/**
 * What a sample's own row says of its group: its size, and by its `split` that it is none of
 * training's. Throws `invalid_request` for a size that is none.
 */
export function statedGroup(stated: Stated): { size?: number; validates: boolean } {
  const lookup = new Lookup(stated);
  const [size, split] = [lookup.of(SIZE, null), lookup.of("split", null)];
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

  /** @param names of the row's fields that a spec's templates name; null: all */
  of(fact: string, names: ReadonlySet<string> | null): unknown {
    switch (fact) {
      case "reference":
        return answerIn(this.#named("reference")) ?? answerIn(this.#stated.truth) ?? this.#answer();
      case "item":
        return this.#item(names);
      case "test_cases":
        return [this.#named("test_cases"), this.#named("unit_tests"), this.#stated.truth, this.#named("ground_truth")]
          .map(casesIn)
          .find((cases) => cases !== undefined);
      default:
        return this.#named(fact);
    }
  }

  #answer = () => this.#places.map(answerIn).find((value) => value !== undefined);

  /** The whole row where the spec names no fields; the sender's own marks are no part of it. */
  #item(names: ReadonlySet<string> | null): FactRow {
    const all = this.#places.toReversed().flatMap((place) => Object.entries(place));
    return Object.fromEntries(all.filter(([name]) => (names === null ? !name.startsWith("_") : names.has(name))));
  }
}

const GROUP = "group.";
const isStated = (fact: string) => fact !== "step" && fact !== "length_tokens";

/** Whether a spec needs anything that only a label or a row can tell. */
export const needsStated = ({ facts }: CompiledSpec): boolean => facts.some(isStated);

/**
 * The facts that the spec needs of a sample.
 * @throws ApiError `facts_required` where one is missing, as /v1/rewards does; `invalid_request`
 *   where one is not of its form
 */
export function statedFacts(stated: Stated, compiled: CompiledSpec): Facts {
  const lookup = new Lookup(stated);
  const names = itemNames(compiled.signals.map(({ settings }) => settings));
  const facts = { group: {} as Record<string, unknown>, rollout: {} as Record<string, unknown> };
  const wanted = compiled.facts.filter(isStated);
  for (const fact of wanted) {
    const ofGroup = fact.startsWith(GROUP);
    const name = ofGroup ? fact.slice(GROUP.length) : fact;
    const value = lookup.of(name, names);
    if (value === undefined) throw missing(stated, name, whoNeeds(compiled, fact));
    const schema = (ofGroup ? FactualGroupSchema : FactualRolloutSchema).shape[name];
    const { data, error } = schema.safeParse(value);
    if (error) throw invalidRequest(ofName(stated, name, error));
    facts[ofGroup ? "group" : "rollout"][name] = data;
  }
  const answer_type = lookup.of("answer_type", names);
  if ("reference" in facts.group && answer_type !== undefined) {
    const { data, error } = FactualGroupSchema.shape.answer_type.safeParse(answer_type);
    if (error) throw invalidRequest(ofName(stated, "answer_type", error));
    facts.group.answer_type = data;
  }
  for (const { signal, settings } of compiled.signals) {
    const fault = signal.groupFault?.(settings, facts.group) ?? null;
    if (fault === null) continue;
    const message = `${fault.path}: ${fault.message}`;
    if (fault.missing !== true) throw invalidRequest([{ path: stated.field, message }]);
    throw new ApiError("facts_required", `${stated.field}: ${message}.`, { errors: [{ path: stated.field, message }] });
  }
  return facts;
}

function missing({ field }: Stated, name: string, who: string): ApiError {
  const message = `carries no ${name}, which ${who} of the spec needs`;
  return new ApiError("facts_required", `${field} ${message}.`, { errors: [{ path: field, message }] });
}

/** What is wrong with a fact, told of the field that it was taken from. */
const ofName = ({ field }: Stated, name: string, { issues }: z.ZodError): FieldError[] =>
  issues.map(({ path, message }) => ({ path: field, message: `as ${[name, ...path].join(".")}: ${message}` }));
