// Owns what the reference says of a contract: its operations, names of schemas, rules and refusals
// that no schema tells. Read by the generator of the OpenAPI document alone.
import type * as z from "zod";
import type { Contract } from "./contract.ts";
import type { Refusal } from "./refusal.ts";
import type { Rule } from "./schema-rule.ts";

/** One route in the document. */
export interface Operation {
  operationId: string;
  summary: string;
  /** Of a request with a body. */
  description?: string;
  request?: z.ZodType;
  example?: unknown;
  /** The parameters of the URL as they are read; absent: none. */
  query?: z.ZodObject;
  /** What the path's parameters are. */
  path?: z.ZodObject;
  reply: z.ZodType;
  /** Of the reply; absent: `Scored.` */
  said?: string;
  /** Further replies by status, or others in their place, as OpenAPI has them. */
  replies?: Readonly<Record<string, object>>;
  /** It answers an Idempotency-Key, and may answer later. */
  repeatable?: true;
  /** A sample that comes alone is refused, 503. */
  gathered?: true;
  /** What is right to refuse though it fits the schema. */
  refusals?: readonly Refusal[];
}

export interface ContractPage {
  /** By method and path, as the contract's routes have them. */
  operations: Readonly<Record<string, Operation>>;
  /** Schemas that have a name of their own in the document. */
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
