// Defines what a contract of another tool is: its routes, who may call them, how its body is read, how its
// clients read faults, wait and retry. Contracts: ../table.ts.
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

/** A route of a contract; what it leaves out is as the contract says. */
export interface ContractRoute extends Omit<Route, "access" | "handler"> {
  access?: Access;
  handler: (deps: RouteDeps, contract: Contract) => Handler;
}

/**
 * A contract: its one file and its line in the table are all there is of it. Routing, access,
 * deadlines and the dialect of its faults derive from here.
 */
export interface Contract extends ClientWaits {
  /** Names it in metrics. */
  name: string;
  /** The scope of a key that calls it: whatever a route's method, it scores. */
  scope: Scope;
  /** Null: faults are problem documents. */
  dialect: FaultDialect | null;
  /** Where its bodies hold what is judged; what of it is not shown is refused. */
  content: readonly ContentPlace[];
  routes: readonly ContractRoute[];
}

/** The contract's routes with what it says of them all. */
export const routesOf = (contract: Contract): Route[] =>
  contract.routes.map((route) => ({
    ...{ access: contract.scope, dialect: contract.dialect, ...route },
    handler: (deps) => warning(route.handler(deps, contract)),
  }));

/** The handler, with what its request had left out named in the reply's header. */
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

/** Which limit bounds which list of a body. */
type ListLimits = Readonly<Record<string, LimitName>>;

/**
 * The body as the schema's output. Throws `invalid_request` naming field and limit; a list over its
 * limit costs no element's check.
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
