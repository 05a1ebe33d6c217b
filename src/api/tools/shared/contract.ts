// The definition of a foreign tool's contract: its routes, access, content, and the timeouts, retries and
// error dialect of its clients. The contracts are listed in ../table.ts.
import type * as z from "zod";
import { fieldFaults, SUGGESTING } from "../../../core/faults/field-errors.ts";
import type { LimitName } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { ContentPlace } from "../../content/shown-body.ts";
import type { Scope } from "../../door/auth.ts";
import type { RouteDeps } from "../../door/deps.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { Access, Handler, Route } from "../../door/route.ts";
import { invalidRequest, overLimit } from "../../door/validation.ts";
import type { ClientWaits } from "./deadlines.ts";

/** A route of a contract; omitted properties default to the contract's. */
export interface ContractRoute extends Omit<Route, "access" | "handler"> {
  access?: Access;
  handler: (deps: RouteDeps, contract: Contract) => Handler;
}

/**
 * A foreign tool's API. Routing, access, deadlines and the error dialect derive from this record, so adding a
 * contract takes one file and one line in the table.
 */
export interface Contract extends ClientWaits {
  /** Label in metrics. */
  name: string;
  /** The scope that a key needs, for all methods, because the contract scores. */
  scope: Scope;
  /** Null: errors are problem documents. */
  dialect: FaultDialect | null;
  /** Fields of the body that hold content; content that the judge would not see is rejected. */
  content: readonly ContentPlace[];
  routes: readonly ContractRoute[];
}

/** The contract's routes with its defaults filled in. */
export const routesOf = (contract: Contract): Route[] =>
  contract.routes.map((route) => ({
    ...{ access: contract.scope, dialect: contract.dialect, ...route },
    handler: (deps) => warning(route.handler(deps, contract)),
  }));

/** Wraps a handler: adds the warnings about dropped content to the reply's header. */
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

/** The limit for each list of a body. */
type ListLimits = Readonly<Record<string, LimitName>>;

/**
 * The body parsed by the schema. Throws `invalid_request` naming field and limit. Checks list lengths first,
 * so that elements of a list over its limit are not validated.
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
