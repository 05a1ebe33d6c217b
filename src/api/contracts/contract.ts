// Owns what a contract of another tool is: its routes, who may call them, how its clients read
// faults, wait and retry. Contracts: table.ts.
import type { Scope } from "../access/auth.ts";
import type { Dialect } from "../http/dialect.ts";
import type { Access, Handler, Route } from "../http/route.ts";
import type { ContentPlace } from "./content/shown-body.ts";
import type { ClientWaits } from "./deadlines.ts";

/** A route of a contract; what it leaves out is as the contract says. */
export interface ContractRoute extends Omit<Route, "access"> {
  access?: Access;
}

/**
 * A contract: its one file and its line in the table are all there is of it. Routing, access,
 * deadlines and the dialect of its faults derive from here.
 */
export interface Contract extends ClientWaits {
  /** Names it in metrics. */
  name: string;
  /** Of a key that calls it: whatever a route's method, it scores. */
  scope: Scope;
  /** Null: faults are problem documents. */
  dialect: Dialect | null;
  /** Where its bodies hold what is judged; what of it is not shown is refused. */
  content: readonly ContentPlace[];
  routes: readonly ContractRoute[];
}

/**
 * A contract whose requests carry one sample, so that its group is gathered from several requests.
 */
export interface SampleContract extends Contract {
  /** How long a client may come back with the very same sample, ms. */
  retry_ms: number;
  /**
   * How often a client asks, whatever the status; 1 where that is left to whoever wrote the call.
   */
  tries: number;
  /**
   * Clients open a connection for every sample; elsewhere a sample that waits may hold the one that
   * its group lacks.
   */
  unpooled?: true;
}

/** The contract's routes with what it says of them all. */
export const routesOf = ({ scope, dialect, routes }: Contract): Route[] =>
  routes.map((route) => ({
    ...{ access: scope, dialect, ...route },
    handler: (deps) => warning(route.handler(deps)),
  }));

/** The handler, with what its request had left out named in the reply's header. */
const warning =
  (handler: Handler): Handler =>
  async (c) => {
    const reply = await handler(c);
    const own = reply.headers.get(WARNINGS);
    const left_out = c.get("left_out");
    if (left_out !== undefined) reply.headers.set(WARNINGS, [...(own === null ? [] : [own]), ...left_out].join("; "));
    return reply;
  };

const WARNINGS = "x-kritai-warnings";
