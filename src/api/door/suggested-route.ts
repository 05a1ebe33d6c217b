// Owns which route a path was meant to be that none answers.
import { LIMITS } from "../../core/faults/limits.ts";
import { nearest } from "../../core/faults/suggestion.ts";
import { withoutTrailing } from "../../core/text/trailing.ts";
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
  const asked = withoutTrailing(path, "/");
  // Nothing is near a longer one, and it need not be compared with every route to know that.
  if (asked.length > LIMITS.suggestion_chars) return null;
  const candidates = routes.filter((route) => route.path !== "/");
  const sorted = [
    ...candidates.filter((route) => route.method === method),
    ...candidates.filter((route) => route.method !== method),
  ];
  const filled = sorted.map((route) => filledIn(route.path, asked));
  for (const wanted of [asked, `/v1${asked}`]) {
    const name = nearest(wanted, filled);
    const route = name === null ? undefined : sorted[filled.indexOf(name)];
    if (route !== undefined) return `${route.method} ${route.path}`;
  }
  return null;
}
