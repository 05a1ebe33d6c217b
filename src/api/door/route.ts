// Defines a route, and looks up a request's required scope and error format before its handler runs. The
// routes are listed in ../routes/table.ts and ../tools/table.ts.
import type { Scope } from "./auth.ts";
import type { AppDeps } from "./deps.ts";
import type { FaultDialect } from "./dialect.ts";
import type { AppContext } from "./scope.ts";

/** Who may call a route: callers whose key has the scope, or everyone if `public`. */
export type Access = "public" | Scope;

export type Handler = (c: AppContext) => Response | Promise<Response>;

/** The record from which a route is registered, guarded and documented. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path pattern, such as `/v1/runs/:run_id`. */
  path: string;
  access: Access;
  handler: (deps: AppDeps) => Handler;
  /** Format of error replies. Omitted: problem documents. */
  dialect?: FaultDialect | null;
}

/** Looks up properties of routes before their handlers run. */
export interface RouteTable {
  /** Whether a path, or the pattern that the path matches, is public for all methods. */
  isPublic(path: string, pattern: string | null): boolean;
  /**
   * The scope that a route requires; HEAD counts as GET. Null if the route is public or no route matches.
   * Routes missing from the table require `admin`.
   */
  scopeOf(method: string, pattern: string | null): Scope | null;
  /** The route's error format, which is known before authentication so that rejected keys get it too. */
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
