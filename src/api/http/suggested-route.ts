// Owns which route a path was meant to be that none answers.
import { nearest } from "../../core/faults/suggestion.ts";
import type { Route } from "./route.ts";

/** A pattern with the path's own words where it has parameters: those cannot be misspelt. */
function filledIn(pattern: string, path: string): string {
  const given = path.split("/");
  const wanted = pattern.split("/");
  if (given.length !== wanted.length) return pattern;
  return wanted.map((part, i) => (part.startsWith(":") ? given[i] : part)).join("/");
}

/**
 * The route nearest to a path that has none, as `POST /v1/rewards`, those of the same method first;
 * null where none is near. A path without its version and one that ends in a slash are near.
 */
export function suggestedRoute(method: string, path: string, routes: readonly Route[]): string | null {
  const told = path.replace(/\/+$/, "");
  const own = routes.filter((route) => route.path !== "/");
  const sorted = [...own.filter((route) => route.method === method), ...own.filter((route) => route.method !== method)];
  const filled = sorted.map((route) => filledIn(route.path, told));
  for (const meant of [told, `/v1${told}`]) {
    const name = nearest(meant, filled);
    const route = name === null ? undefined : sorted[filled.indexOf(name)];
    if (route !== undefined) return `${route.method} ${route.path}`;
  }
  return null;
}
