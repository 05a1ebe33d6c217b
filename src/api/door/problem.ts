// Error replies (problem documents).
import type { ApiError } from "../../core/faults/errors.ts";
import { problemOf } from "../../core/faults/problem.ts";
import type { AppContext } from "./scope.ts";

/** Origin that the request was sent to; empty for a malformed Host header. */
export function originOf({ req }: AppContext): string {
  return URL.canParse(req.url) ? new URL(req.url).origin : "";
}

/**
 * URL of the page that explains a code, served by this Worker. Absolute, because a reader that has only the
 * document has no base URL.
 */
export function problemType(c: AppContext, code: string): string {
  return `${originOf(c)}/docs/errors#${code}`;
}

/** The error reply to the whole request, with `extra` members added to the document. */
export function problemResponse(c: AppContext, error: ApiError, extra: Record<string, unknown> = {}): Response {
  c.set("refused", error.code);
  const { status, headers, body } = problemOf(error, c.get("scope").id, (code) => problemType(c, code));
  return new Response(JSON.stringify({ ...body, ...extra }), { status, headers });
}
