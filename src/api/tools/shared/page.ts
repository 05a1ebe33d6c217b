// The words in which a contract writes its page in the reference: operations, rules and right refusals that
// no schema tells, examples. Read by the generator of the OpenAPI document alone.
import type * as z from "zod";
import type { LimitName } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { Contract } from "./contract.ts";
import { SampleOptionsSchema } from "./options.ts";

/** One route in the document. */
export interface Operation {
  operationId: string;
  summary: string;
  /** Description of a request with a body. */
  description?: string;
  request?: z.ZodType;
  example?: unknown;
  /** The parameters of the URL as they are read; absent: none. */
  query?: z.ZodObject;
  /** The path's parameters. */
  path?: z.ZodObject;
  reply: z.ZodType;
  /** Description of the reply; absent: `Scored.` */
  reply_description?: string;
  /** Further replies by status, or others in their place, as OpenAPI has them. */
  replies?: Readonly<Record<string, object>>;
  /** It answers an Idempotency-Key, and may answer later. */
  repeatable?: true;
  /** A sample that comes alone is refused, 503. */
  gathered?: true;
  /**
   * Flags and numbers may come as texts and numbers, as the vendor's server reads them; the schema does
   * not say so.
   */
  vendor_types?: true;
  /** What is right to refuse though it fits the schema. */
  refusals?: readonly Refusal[];
}

export interface ContractPage {
  /** By method and path, as the contract's routes have them. */
  operations: Readonly<Record<string, Operation>>;
  /** Schemas that have a name in the document. */
  components?: Readonly<Record<string, z.ZodType>>;
  /** Those of them that only a text refers to. */
  standalone?: Readonly<Record<string, z.ZodType>>;
  /** By component: rules between fields that zod's output does not say. */
  rules?: Readonly<Record<string, Rule>>;
}

const pages = new WeakMap<Contract, () => ContractPage>();

/**
 * Gives a contract its page. Call it as an unused export behind a mark of purity, so that the
 * Worker's bundle holds nothing of it: test/stack/bundle.test.ts.
 */
export function documented(contract: Contract, page: () => ContractPage): () => ContractPage {
  pages.set(contract, page);
  return page;
}

/** A contract's page. Throws where it has none. */
export function pageOf(contract: Contract): ContractPage {
  const page = pages.get(contract);
  if (page === undefined) throw new Error(`the contract ${contract.name} has no page: documented(..)`);
  return page();
}

/**
 * A piece of JSON Schema that is laid over what zod generates: a rule between fields. Its truth is
 * the code that refuses.
 */
export interface Rule {
  readonly [keyword: string]: unknown;
}

export const fields = (properties: Rule): Rule => ({ properties });

export const elements = (field: string, items: Rule): Rule => fields({ [field]: { items } });

export const needs = (...required: string[]): Rule => ({ required });

/** For an object: the fields are there and have their types. */
export const has = (kinds: Rule): Rule => ({ ...needs(...Object.keys(kinds)), ...fields(kinds) });

export const not = (rule: Rule): Rule => ({ not: rule });

export const when = (condition: Rule, then: Rule): Rule => ({ if: condition, then });

export const size = (max: LimitName, min?: number): Rule => ({
  maxItems: LIMITS[max],
  ...(min !== undefined && { minItems: min }),
});

export const contains = (rule: Rule): Rule => ({ contains: rule });

/**
 * A rule that JSON Schema cannot say, so that a request which fits the document is rightly refused:
 * the schemathesis run takes these, and no others, for right. Its expressions must match in full,
 * `words` somewhere.
 */
export interface Refusal {
  why: string;
  status: number;
  code: string;
  /** Path of the field, without indices; absent: none is named. */
  path?: string;
  words?: string;
  /** The body's field that must be there. */
  given?: string;
}

/** A refusal of one field, `invalid_request`. */
export const refused = (why: string, path: string, words?: string, given?: string): Refusal => ({
  ...{ why, status: 400, code: "invalid_request", path },
  ...(words !== undefined && { words }),
  ...(given !== undefined && { given }),
});

/** The refusal of a label that nests too deeply. */
export const deepLabel = (): Refusal => refused("how deep a label nests", "\\$", "label_depth_max");

/** The refusals of groups that are rebuilt from equal prompts. */
export const regrouped = (): Refusal => refused("equal prompts", ".+", "rollouts_per_group_max is|groups_max is");

/**
 * The local stack's verifier sees no difference between texts that belong to no problem (docs/decisions.md).
 */
export const noChoice = (status = 422): Refusal => ({
  ...{ why: "no choice", status, code: "verifier_bad_reply", words: "texts stay unranked" },
});

/** A route that gathers samples, with what its description begins with; `format` is slime's alone. */
export const sampleOperation = (
  operation: Omit<Operation, "refusals"> & { refusals?: readonly Refusal[] },
): Operation => ({
  query: SampleOptionsSchema.omit({ format: true }),
  ...operation,
  description:
    `Samples of equal prompt, label, run, step and spec are gathered into one group, judged once, and each request is answered with its own reward. A reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space; a failure then breaks it off. ${operation.description ?? ""}`.trimEnd(),
  gathered: true,
  refusals: [
    deepLabel(),
    { why: "alone in its group", status: 503, code: "group_too_small" },
    { why: "alone in a group of 1", status: 400, code: "group_too_small" },
    ...(operation.refusals ?? []),
  ],
});

/** The problem and the answers of the examples, which the tests send, so that they stay true. */
export const QUESTION = "Write f(xs): the sum of the even numbers in xs.\nassert f([1, 2, 4]) == 6";
export const CORRECT = "```python\ndef f(xs):\n    return sum(x for x in xs if x % 2 == 0)\n```";
export const WRONG = "```python\ndef f(xs):\n    return sum(xs)\n```";

/** The conversation as a chat template renders it; `closing` follows the answer. */
export const rendered = (answer: string, closing = "<|im_end|>\n"): string =>
  `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${answer}${closing}`;
