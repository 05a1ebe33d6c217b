// The gateway's faults as problem documents. Never quotes a value.
import { ApiError, asApiError, type FieldError } from "../../../src/core/faults/errors.ts";
import { faultLine } from "../../../src/core/faults/fault-line.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { problemOf } from "../../../src/core/faults/problem.ts";

/**
 * The reply to a fault of the whole request; the members are those of the edge's problems. An
 * unexpected one is logged.
 */
export function problemReply(thrown: unknown, request_id: string) {
  if (!(thrown instanceof ApiError)) console.error(JSON.stringify(faultLine(thrown, request_id)));
  const { status, headers, body } = problemOf(asApiError(thrown), request_id, (code) => `urn:kritai:error:${code}`);
  return { status, headers: { ...headers, "x-request-id": request_id }, body: JSON.stringify(body) };
}

/** The refusal for field faults. */
export function invalidRequest(errors: readonly FieldError[]): ApiError {
  const shown = errors.slice(0, LIMITS.validation_errors_max);
  const [first] = shown;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new ApiError("invalid_request", `${first?.path}: ${first?.message}${more}`, { errors: shown });
}
