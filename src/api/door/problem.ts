// The replies to faults of whole requests.
import type { ApiError } from "../../core/faults/errors.ts";
import { problemOf } from "../../core/faults/problem.ts";
import type { AppContext } from "./scope.ts";

/** Scheme, host and port that the request was sent to; empty for a malformed Host header. */
export function originOf({ req }: AppContext): string {
  return URL.canParse(req.url) ? new URL(req.url).origin : "";
}

/**
 * Where a code is explained: a page that the Worker which was asked serves itself. Absolute, for a
 * reader that has the document alone knows no base.
 */
export function problemType(c: AppContext, code: string): string {
  return `${originOf(c)}/docs/errors#${code}`;
}

/** The reply to a fault of the whole request. `extra` members are added to the document. */
export function problemResponse(c: AppContext, error: ApiError, extra: Record<string, unknown> = {}): Response {
  c.set("refused", error.code);
  const { status, headers, body } = problemOf(error, c.get("scope").id, (code) => problemType(c, code));
  return new Response(JSON.stringify({ ...body, ...extra }), { status, headers });
}
