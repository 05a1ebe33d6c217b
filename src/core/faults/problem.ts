// Renders an error as an RFC 9457 problem document, which never contains an API key or text from a model.
import { type ApiError, REQUEST_ERRORS } from "./errors.ts";
import { LIMITS } from "./limits.ts";

const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: "1", 503: "5" };

export interface Problem {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * The reply for an error that concerns the whole request.
 * @param typeOf returns the URI that documents an error code
 */
export function problemOf(error: ApiError, request_id: string, typeOf: (code: string) => string): Problem {
  const { status, title, retryable } = REQUEST_ERRORS[error.code];
  const wait = retryable ? RETRY_AFTER_SECONDS[status] : undefined;
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(wait !== undefined && { "retry-after": wait }),
      ...error.headers,
    },
    body: {
      type: typeOf(error.code),
      title,
      status,
      detail: error.message,
      code: error.code,
      request_id,
      retryable,
      ...(error.errors.length > 0 && { errors: error.errors.slice(0, LIMITS.validation_errors_max) }),
    },
  };
}
