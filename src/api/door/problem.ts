// Owns the replies to faults of whole requests. Knows no route.
import type { ApiError } from "../../core/faults/errors.ts";
import { problemOf } from "../../core/faults/problem.ts";

/** Where a code is explained; the Worker serves this page itself. */
export const problemType = (code: string): string => `/docs/errors#${code}`;

/** The reply to a fault of the whole request. `extra` members are added to the document. */
export function problemResponse(error: ApiError, requestId: string, extra: Record<string, unknown> = {}): Response {
  const { status, headers, body } = problemOf(error, requestId, problemType);
  return new Response(JSON.stringify({ ...body, ...extra }), { status, headers });
}
