// Building blocks for the API reference of other tools' APIs: operations, examples, and the rules and error
// conditions that schemas cannot express. Used only by the OpenAPI generator.
import type * as z from "zod";
import type { LimitName } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { Contract } from "./contract.ts";
import { SampleOptionsSchema } from "./options.ts";

/** The documentation of one route. */
export interface Operation {
  operationId: string;
  summary: string;
  /** Description of the operation. */
  description?: string;
  request?: z.ZodType;
  example?: unknown;
  /** Schema of the query parameters. Omitted: none. */
  query?: z.ZodObject;
  /** Schema of the path parameters. */
  path?: z.ZodObject;
  reply: z.ZodType;
  /** Description of the reply. Omitted: `Scored.` */
  reply_description?: string;
  /** Responses to add or replace, by status, in OpenAPI format. */
  replies?: Readonly<Record<string, object>>;
  /** Set if the route supports Idempotency-Key and `Prefer: respond-async`. */
  repeatable?: true;
  /** Set if samples are gathered into groups, so that a sample may be answered with 503 until they are. */
  gathered?: true;
  /**
   * Set if booleans and numbers are also accepted as strings, as by the vendor's server; not in the schema.
   */
  vendor_types?: true;
  /** Conditions under which a request is rejected although it matches the schema. */
  refusals?: readonly Refusal[];
}

export interface ContractPage {
  /** Operations by method and path, such as `POST /score`. */
  operations: Readonly<Record<string, Operation>>;
  /** Schemas by component name. */
  components?: Readonly<Record<string, z.ZodType>>;
  /** Named schemas that are mentioned only in descriptions, not referenced by other schemas. */
  standalone?: Readonly<Record<string, z.ZodType>>;
  /** Rules between fields that zod's JSON Schema cannot express, by component. */
  rules?: Readonly<Record<string, Rule>>;
}

const pages = new WeakMap<Contract, () => ContractPage>();

/**
 * Registers the page of a contract. Assign the result to an unused export and mark the call as pure, so that
 * the page is excluded from the Worker's bundle (test/stack/bundle.test.ts).
 */
export function documented(contract: Contract, page: () => ContractPage): () => ContractPage {
  pages.set(contract, page);
  return page;
}

/** The page of a contract. Throws if none is registered. */
export function pageOf(contract: Contract): ContractPage {
  const page = pages.get(contract);
  if (page === undefined) throw new Error(`the contract ${contract.name} has no page: documented(..)`);
  return page();
}

/**
 * A rule between fields, as JSON Schema that is merged into zod's output. It only documents what the code
 * rejects.
 */
export interface Rule {
  readonly [keyword: string]: unknown;
}

export const fields = (properties: Rule): Rule => ({ properties });

export const elements = (field: string, items: Rule): Rule => fields({ [field]: { items } });

export const needs = (...required: string[]): Rule => ({ required });

/** Matches objects that have all of these fields, with values that match their schemas. */
export const has = (kinds: Rule): Rule => ({ ...needs(...Object.keys(kinds)), ...fields(kinds) });

export const not = (rule: Rule): Rule => ({ not: rule });

export const when = (condition: Rule, then: Rule): Rule => ({ if: condition, then });

export const size = (max: LimitName, min?: number): Rule => ({
  maxItems: LIMITS[max],
  ...(min !== undefined && { minItems: min }),
});

export const contains = (rule: Rule): Rule => ({ contains: rule });

/**
 * An error condition that JSON Schema cannot express. For requests that match the schema, the schemathesis
 * test accepts only these errors. Regular expressions must match the whole value, except for `words`, which
 * may match anywhere.
 */
export interface Refusal {
  why: string;
  status: number;
  code: string;
  /** Path of the invalid field, without indices. Omitted: the error names no field. */
  path?: string;
  words?: string;
  /** Name of a body field that must be present for the condition to apply. */
  given?: string;
}

/** An `invalid_request` error about one field. */
export const refused = (why: string, path: string, words?: string, given?: string): Refusal => ({
  ...{ why, status: 400, code: "invalid_request", path },
  ...(words !== undefined && { words }),
  ...(given !== undefined && { given }),
});

/** The error for a label that is nested too deeply. */
export const deepLabel = (): Refusal => refused("label nested too deeply", "\\$", "label_depth_max");

/** The errors for batches whose items are grouped by prompt. */
export const regrouped = (): Refusal =>
  refused("too many groups, or too many equal prompts", ".+", "rollouts_per_group_max is|groups_max is");

/**
 * The error for candidates that the local stack's verifier cannot tell apart, because they are not answers to
 * a known problem (docs/decisions.md).
 */
export const noChoice = (status = 422): Refusal => ({
  ...{ why: "no choice", status, code: "verifier_bad_reply", words: "texts stay unranked" },
});

/** The operation of a route that gathers samples into groups. Only slime supports the option `format`. */
export const sampleOperation = (
  operation: Omit<Operation, "refusals"> & { refusals?: readonly Refusal[] },
): Operation => ({
  query: SampleOptionsSchema.omit({ format: true }),
  ...operation,
  description:
    `Samples with equal prompt, label, run, step and spec are gathered into one group, which is judged once; each request receives its own reward. A reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space; a later failure aborts it. ${operation.description ?? ""}`.trimEnd(),
  gathered: true,
  refusals: [
    deepLabel(),
    { why: "alone in its group", status: 503, code: "group_too_small" },
    { why: "alone in a group of 1", status: 400, code: "group_too_small" },
    ...(operation.refusals ?? []),
  ],
});

/** The problem and answers in the examples. Tests send the examples, so they stay valid. */
export const QUESTION = "Write f(xs): the sum of the even numbers in xs.\nassert f([1, 2, 4]) == 6";
export const CORRECT = "```python\ndef f(xs):\n    return sum(x for x in xs if x % 2 == 0)\n```";
export const WRONG = "```python\ndef f(xs):\n    return sum(xs)\n```";

/** The example conversation as rendered by a chat template. `closing` is appended to the answer. */
export const rendered = (answer: string, closing = "<|im_end|>\n"): string =>
  `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${answer}${closing}`;
