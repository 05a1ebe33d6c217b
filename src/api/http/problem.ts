// Owns the rendering of faults as RFC 9457 problem documents. Knows no route; never sees a key or a
// model's text.
import { type ApiError, REQUEST_ERRORS } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";

/** Where a code is explained; the Worker serves this page itself. */
export const problemType = (code: string): string => `/docs/errors#${code}`;

const RETRY_AFTER_SECONDS: Record<string, string> = { 429: "1", 503: "5" };

/** The reply to a fault of the whole request. `extra` members are added to the document. */
export function problemResponse(error: ApiError, requestId: string, extra: Record<string, unknown> = {}): Response {
  const { status, title, retryable } = REQUEST_ERRORS[error.code];
  const body = {
    type: problemType(error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    retryable,
    ...(error.errors.length > 0 && { errors: error.errors.slice(0, LIMITS.validation_errors_max) }),
    ...extra,
  };
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  const wait = RETRY_AFTER_SECONDS[status];
  if (wait !== undefined) headers.set("retry-after", wait);
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  return new Response(JSON.stringify(body), { status, headers });
}
