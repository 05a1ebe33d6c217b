// Normalizes paths before routing, and suggests the route that an unmatched path was probably meant for.
import { LIMITS } from "../../core/faults/limits.ts";
import { nearest } from "../../core/faults/suggestion.ts";
import { withoutTrailing } from "../../core/text/trailing.ts";
import type { Route } from "./route.ts";

/**
 * Normalizes a path for routing, authentication and logging: removes repeated slashes, a trailing slash, and
 * a second `/v1`, which clients send if their base URL already ends with `/v1`.
 */
export function canonicalPath(pathname: string): string {
  const single = pathname.replace(/\/{2,}/g, "/");
  const path = single.replace(/^(?:\/v\d(?=\/v\d\/))+/, "");
  return withoutTrailing(path, "/") || "/";
}

/** Replaces the pattern's parameters by the path's words, because a parameter cannot be misspelt. */
function filledIn(pattern: string, path: string): string {
  const given = path.split("/");
  const wanted = pattern.split("/");
  if (given.length !== wanted.length) return pattern;
  return wanted.map((part, i) => (part.startsWith(":") ? given[i] : part)).join("/");
}

/** Words that other servers use instead of the words in our routes. */
const MEANINGS: Readonly<Record<string, string>> = {
  ...{ rank: "rerank", ranking: "rerank", reranks: "rerank", reranker: "rerank", reranking: "rerank" },
  ...{ scores: "score", scoring: "score", similarity: "score", classification: "classify" },
  ...{ reward: "rewards", compute_reward: "rewards", get_reward: "get_reward", completion: "completions" },
  ...{ model: "models", live: "healthz", livez: "healthz", liveness: "healthz", healthcheck: "healthz" },
  ...{ ready: "readyz", readiness: "readyz", swagger: "docs", redoc: "docs", openapi: "openapi.json" },
};

const wordsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .split("/")
    .filter((word) => word !== "");
/** The literal (non-parameter) words of a pattern. */
const fixedOf = (pattern: string): string[] => wordsOf(pattern).filter((word) => !word.startsWith(":"));

/** Whether `words` is a subsequence of `others`. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const word of others) if (word === words[at]) at++;
  return at === words.length;
}

/** Whether `rank` is lexicographically greater than `other`. */
function isMore(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, i) => value !== other[i]);
  return at >= 0 && (rank[at] as number) > (other[at] as number);
}

/**
 * Finds the route with the most literal words, all of which occur in the path in the same order. Among
 * equals, prefers a route that starts with the path's first word, then the shortest route. Null if there is
 * none.
 * @param anyEnd whether the route's last word may differ from the path's last word
 */
function byMeaning(path: string, routes: readonly Route[], anyEnd: boolean): Route | null {
  const words = wordsOf(path).map((word) => (Object.hasOwn(MEANINGS, word) ? (MEANINGS[word] as string) : word));
  let found: Route | null = null;
  let maxFixed = 0;
  let best: readonly number[] = [];
  for (const route of routes) {
    const fixed = fixedOf(route.path);
    if (fixed.length < Math.max(1, maxFixed) || !isWithin(fixed, words)) continue;
    if (!anyEnd && fixed.at(-1) !== words.at(-1)) continue;
    const rank = [fixed.length, fixed[0] === words[0] ? 1 : 0, -route.path.length];
    if (found !== null && !isMore(rank, best)) continue;
    [found, best, maxFixed] = [route, rank, fixed.length];
  }
  return found;
}

/**
 * The route whose spelling is closest to the path, with or without `/v1`; null if none is close. Words at
 * parameter positions are ignored, because they always match.
 */
function bySpelling(path: string, routes: readonly Route[]): Route | null {
  for (const wanted of [path, `/v1${path}`]) {
    const near = routes.filter((route) => isSpeltLike(wanted, route.path));
    const filled = near.map((route) => filledIn(route.path, wanted));
    const name = nearest(wanted, filled);
    if (name !== null) return near[filled.indexOf(name)] ?? null;
  }
  return null;
}

function isSpeltLike(path: string, pattern: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/").filter((_, i) => wanted[i]?.startsWith(":") !== true);
  return nearest(given.join("/"), [wanted.filter((word) => !word.startsWith(":")).join("/")]) !== null;
}

/** The shortest route that extends the path, such as `/v1/chat/completions` for `/v1/chat`. */
function byBeginning(path: string, routes: readonly Route[]): Route | null {
  const words = wordsOf(path);
  if (words.every((word) => /^v\d$/.test(word))) return null;
  const further = routes.filter(({ path: pattern }) => isWithin(words, fixedOf(pattern)));
  return further.sort((a, b) => a.path.length - b.path.length)[0] ?? null;
}

/**
 * The route that an unmatched path was probably meant for; null if no route is close. Compares meanings, then
 * spellings, and tries routes with the same method first.
 */
export function suggestedRoute(method: string, path: string, routes: readonly Route[]): Route | null {
  const asked = withoutTrailing(path, "/");
  // Longer paths are not close to any route, so no comparison is needed.
  if (asked.length > LIMITS.suggestion_chars) return null;
  const candidates = routes.filter((route) => route.path !== "/");
  const same = candidates.filter((route) => route.method === method);
  const others = candidates.filter((route) => route.method !== method);
  return (
    byMeaning(asked, same, false) ??
    bySpelling(asked, same) ??
    byBeginning(asked, same) ??
    byMeaning(asked, others, false) ??
    bySpelling(asked, others) ??
    byMeaning(asked, candidates, true)
  );
}
