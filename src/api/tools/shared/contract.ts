// Defines a contract, the API of another tool: its routes, access, content fields, and the timeouts and error
// format of its clients. The contracts are listed in ../table.ts.
import type * as z from "zod";
import { fieldFaults, SUGGESTING } from "../../../core/faults/field-errors.ts";
import type { LimitName } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { ContentPlace } from "../../content/shown-body.ts";
import type { Scope } from "../../door/auth.ts";
import type { AppDeps } from "../../door/deps.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { Access, Handler, Route } from "../../door/route.ts";
import { invalidRequest, overLimit } from "../../door/validation.ts";
import type { ClientWaits } from "./deadlines.ts";

/** A route of a contract. Omitted properties default to those of the contract. */
export interface ContractRoute extends Omit<Route, "access" | "handler"> {
  access?: Access;
  handler: (deps: AppDeps, contract: Contract) => Handler;
}

/**
 * The API of another tool. Routing, access, deadlines and the error format derive from this record, so adding
 * an API takes one file and one line in the table.
 */
export interface Contract extends ClientWaits {
  /** The contract's label in metrics. */
  name: string;
  /** The scope that a key needs for all routes. */
  scope: Scope;
  /** The format of errors; null: problem documents. */
  dialect: FaultDialect | null;
  /** Fields of the body that contain content. Content that the judge would not see is rejected. */
  content: readonly ContentPlace[];
  routes: readonly ContractRoute[];
}

/** The routes of a contract, with the contract's defaults filled in. */
export const routesOf = (contract: Contract): Route[] =>
  contract.routes.map((route) => ({
    ...{ access: contract.scope, dialect: contract.dialect, ...route },
    handler: (deps) => warning(route.handler(deps, contract)),
  }));

/** Wraps a handler so that warnings about dropped content are added to the reply's headers. */
const warning =
  (handler: Handler): Handler =>
  async (c) => {
    const reply = await handler(c);
    const warnings = reply.headers.get(WARNINGS);
    const left_out = c.get("left_out");
    if (left_out !== undefined)
      reply.headers.set(WARNINGS, [...(warnings === null ? [] : [warnings]), ...left_out].join("; "));
    return reply;
  };

const WARNINGS = "x-kritai-warnings";

/** Length limits of a body's lists, by field. */
type ListLimits = Readonly<Record<string, LimitName>>;

/**
 * Parses the body by the schema. Throws `invalid_request`, naming the field and the limit. Checks the lengths
 * of lists first, so that the elements of a list that is too long are not validated.
 */
export function contractBody<S extends z.ZodType>(
  schema: S,
  body: Record<string, unknown>,
  lists: ListLimits = {},
): z.output<S> {
  for (const [name, limit] of Object.entries(lists)) {
    const list = body[name];
    if (!Array.isArray(list) || list.length <= LIMITS[limit]) continue;
    throw invalidRequest([{ path: name, message: overLimit(list.length, limit) }]);
  }
  const parsed = schema.safeParse(body, SUGGESTING);
  if (parsed.success) return parsed.data;
  const { errors, total } = fieldFaults(parsed.error.issues, body);
  throw invalidRequest(errors, total);
}
