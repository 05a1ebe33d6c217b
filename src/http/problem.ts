// Owns the rendering of faults as RFC 9457 problem documents. Knows no route; never sees a key or a model's text.
import { ApiError, REQUEST_ERRORS } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";

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

/** Any thrown value as an ApiError; what is not one is `internal`, and its message stays inside. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(
    "internal",
    "Something went wrong here, not in the request. The request id finds it in the logs.",
  );
}

/** A log line for an unexpected error: its class and its frames, never its message, which may quote a model's text. */
export function faultLine(thrown: unknown, requestId: string): Record<string, unknown> {
  const error = thrown instanceof Error ? thrown : new Error(typeof thrown);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    level: "error",
    event: "unexpected_error",
    request_id: requestId,
    name: error.name,
    frames: frames.slice(0, 8),
  };
}

/** Where log lines go unless told otherwise. */
export const printLine = (line: Record<string, unknown>): void => console.error(JSON.stringify(line));
