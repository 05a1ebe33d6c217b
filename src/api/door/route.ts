// Defines what a route is, and what a table of routes says of a request before its handler runs. The tables:
// ../routes/table.ts and ../tools/table.ts.
import type { Scope } from "./auth.ts";
import type { RouteDeps } from "./deps.ts";
import type { FaultDialect } from "./dialect.ts";
import type { AppContext } from "./scope.ts";

/** The access that a caller needs: a key with the scope, or, for a `public` route, nothing. */
export type Access = "public" | Scope;

export type Handler = (c: AppContext) => Response | Promise<Response>;

/** A route's one record: it is registered, guarded and documented by it. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A pattern, like `/v1/runs/:run_id`. */
  path: string;
  access: Access;
  handler: (deps: RouteDeps) => Handler;
  /** How its clients read a fault; absent: as a problem document. */
  dialect?: FaultDialect | null;
}

/** What is known of requests by their routes. */
export interface RouteTable {
  /** Whether a path, or the pattern that it fits, needs no key, whatever the method. */
  isPublic(path: string, pattern: string | null): boolean;
  /**
   * The scope that a route asks for; HEAD is as GET. Null where it is public, or no route; a route
   * that the table does not have is closed to all but `admin`.
   */
  scopeOf(method: string, pattern: string | null): Scope | null;
  /** The dialect from the start, so that a refused key is readable too. */
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
