// The definition of a route, and the lookup of a request's access and dialect before its handler runs. The
// tables: ../routes/table.ts and ../tools/table.ts.
import type { Scope } from "./auth.ts";
import type { RouteDeps } from "./deps.ts";
import type { FaultDialect } from "./dialect.ts";
import type { AppContext } from "./scope.ts";

/** The access required to call a route: a key with the scope, or no key if `public`. */
export type Access = "public" | Scope;

export type Handler = (c: AppContext) => Response | Promise<Response>;

/** A route: the record from which it is registered, guarded and documented. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path pattern, such as `/v1/runs/:run_id`. */
  path: string;
  access: Access;
  handler: (deps: RouteDeps) => Handler;
  /** Format of error replies. Omitted: problem documents. */
  dialect?: FaultDialect | null;
}

/** Route properties, looked up before a handler runs. */
export interface RouteTable {
  /** Whether a path, or the pattern that it matches, is public for all methods. */
  isPublic(path: string, pattern: string | null): boolean;
  /**
   * The scope that a route requires; HEAD counts as GET. Null if the route is public or no route matches.
   * Routes missing from the table require `admin`.
   */
  scopeOf(method: string, pattern: string | null): Scope | null;
  /** The route's dialect, known before authentication, so that a rejected key is also reported in it. */
  dialectOf(pattern: string | null): FaultDialect | null;
}

export function routeTable(routes: readonly Route[]): RouteTable {
  const open = new Set(routes.filter(({ access }) => access === "public").map(({ path }) => path));
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  const dialects = new Map(routes.map(({ path, dialect = null }) => [path, dialect]));
  return {
    isPublic: (path, pattern) => open.has(path) || (pattern !== null && open.has(pattern)),
    scopeOf(method, pattern) {
      if (pattern === null) return null;
      const access = byName.get(`${method === "HEAD" ? "GET" : method} ${pattern}`)?.access ?? "admin";
      return access === "public" ? null : access;
    },
    dialectOf: (pattern) => dialects.get(pattern ?? "") ?? null,
  };
}
