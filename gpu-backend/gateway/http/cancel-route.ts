// Owns POST /v1/verify/cancel: which open request is meant, and what is wrong with the body. Knows
// no engine and no event.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { type FieldLimits, fieldErrors } from "../../../src/core/faults/field-errors.ts";
import { describeJsonFault } from "../../../src/core/faults/json-fault.ts";
import { type VerifyCancel, VerifyCancelSchema } from "../../../src/core/wire/verify-cancel.ts";
import { invalidRequest } from "./problem.ts";
import type { SessionDeps } from "./session.ts";

/** Which of the named limits bound a field. */
const FIELD_LIMITS: FieldLimits = {
  cancel_id: { max: "id_chars" },
  groups: { max: "groups_max" },
  "groups.group_id": { max: "id_chars" },
  "groups.comparisons": { max: "generations_verify_max" },
};

/**
 * Takes comparisons of an open request back.
 * @throws ApiError `invalid_json`, `invalid_request`; `not_found` where the request is not open
 *   here: it has ended, or another gateway behind the same address has it
 */
export function cancelComparisons({ cancellable, metrics }: SessionDeps, text: string): void {
  const { cancel_id, groups } = readCancel(text);
  const job = cancellable.get(cancel_id);
  metrics.cancel(job !== undefined);
  if (job === undefined) throw new ApiError("not_found", "No open request has this cancel_id here.");
  job.takeBack(groups);
}

function readCancel(text: string): VerifyCancel {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const { path, message, detail } = describeJsonFault(text);
    throw new ApiError("invalid_json", detail, { errors: [{ path, message }] });
  }
  const parsed = VerifyCancelSchema.safeParse(body);
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error.issues, body, [], FIELD_LIMITS));
  return parsed.data;
}
