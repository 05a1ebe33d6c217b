// Converts errors into problem documents (RFC 9457). Request values are never quoted.
import { ApiError, asApiError, type FieldError } from "../../../src/core/faults/errors.ts";
import { faultLine } from "../../../src/core/faults/fault-line.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { problemOf } from "../../../src/core/faults/problem.ts";

/**
 * The reply to an error of the whole request, with the same members as the edge's problem documents. Logs
 * unexpected errors.
 */
export function problemReply(thrown: unknown, request_id: string) {
  if (!(thrown instanceof ApiError)) console.error(JSON.stringify(faultLine(thrown, request_id)));
  const { status, headers, body } = problemOf(asApiError(thrown), request_id, (code) => `urn:kritai:error:${code}`);
  return { status, headers: { ...headers, "x-request-id": request_id }, body: JSON.stringify(body) };
}

/** The error for invalid fields. */
export function invalidRequest(errors: readonly FieldError[]): ApiError {
  const shown = errors.slice(0, LIMITS.validation_errors_max);
  const [first] = shown;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new ApiError("invalid_request", `${first?.path}: ${first?.message}${more}`, { errors: shown });
}
