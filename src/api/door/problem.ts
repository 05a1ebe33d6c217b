// Error replies as problem documents (RFC 9457).
import type { ApiError } from "../../core/faults/errors.ts";
import { problemOf } from "../../core/faults/problem.ts";
import type { AppContext } from "./scope.ts";

/** The origin to which the request was sent; empty if the Host header is malformed. */
export function originOf({ req }: AppContext): string {
  return URL.canParse(req.url) ? new URL(req.url).origin : "";
}

/**
 * URL of the page that explains an error code, served by this deployment. Absolute, because whoever reads the
 * problem document later does not know the base URL.
 */
export function problemType(c: AppContext, code: string): string {
  return `${originOf(c)}/docs/errors#${code}`;
}

/** The error reply to a request. `extra` members are added to the problem document. */
export function problemResponse(c: AppContext, error: ApiError, extra: Record<string, unknown> = {}): Response {
  c.set("refused", error.code);
  const { status, headers, body } = problemOf(error, c.get("scope").id, (code) => problemType(c, code));
  return new Response(JSON.stringify({ ...body, ...extra }), { status, headers });
}
