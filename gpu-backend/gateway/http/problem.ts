// Owns the gateway's faults as RFC 9457 problem documents. Never quotes a value.
import { ApiError, type FieldError, REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const RETRY_AFTER_SECONDS: Record<number, string> = { 429: "1", 503: "5" };

/** A reply that is a problem document. */
export interface Problem {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * The reply to a fault of the whole request; the members are those of the edge's problems. An
 * unexpected one is logged.
 */
export function problemOf(thrown: unknown, request_id: string): Problem {
  if (!(thrown instanceof ApiError)) logUnexpected(thrown, request_id);
  const error = asApiError(thrown);
  const { status, title, retryable } = REQUEST_ERRORS[error.code];
  const wait = RETRY_AFTER_SECONDS[status];
  const headers = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(wait !== undefined && { "retry-after": wait }),
    ...error.headers,
    "x-request-id": request_id,
  };
  const body = {
    type: `urn:kritai:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id,
    retryable,
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
  return { status, headers, body: JSON.stringify(body) };
}

function logUnexpected(thrown: unknown, request_id: string): void {
  // The class and the frames: a message may quote a model's text.
  const { name = "unknown", stack = "" } = thrown instanceof Error ? thrown : {};
  const frames = stack
    .split("\n")
    .filter((row) => /^\s+at /.test(row))
    .slice(0, 8);
  console.error(JSON.stringify({ level: "error", event: "unexpected_error", request_id, name, frames }));
}

/** Any thrown value as an ApiError; what is not one is `internal`, and its message stays inside. */
function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError("internal", "Something went wrong here, not in the request.");
}

/** The refusal for field faults. */
export function invalidRequest(errors: readonly FieldError[]): ApiError {
  const shown = errors.slice(0, LIMITS.validation_errors_max);
  const [first] = shown;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new ApiError("invalid_request", `${first?.path}: ${first?.message}${more}`, { errors: shown });
}
