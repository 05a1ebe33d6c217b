// Checks across the groups of a /v1/rewards request that do not depend on the spec. Checks that depend on the
// spec are in src/scoring.

import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";

/**
 * Throws `too_many_rollouts`, or `invalid_request` for a duplicate `group_id`, which must be unique because
 * it identifies groups in logs and streams.
 */
export function checkRewardsRequest(request: RewardsRequest): void {
  checkRolloutCount(request);
  const repeated = repeatedGroupIds(request);
  if (repeated.length > 0) {
    throw new ApiError("invalid_request", "Each group needs a unique group_id or none.", { errors: repeated });
  }
}

function checkRolloutCount(request: RewardsRequest): void {
  const rollouts = request.groups.reduce((sum, group) => sum + group.rollouts.length, 0);
  if (rollouts <= LIMITS.rollouts_per_request_max) return;
  const message = `${rollouts} rollouts; ${theLimit("rollouts_per_request_max")}`;
  throw new ApiError("too_many_rollouts", `${message}.`, { errors: [{ path: "groups", message }] });
}

function repeatedGroupIds(request: RewardsRequest): FieldError[] {
  const errors: FieldError[] = [];
  const first = new Map<string, number>();
  request.groups.forEach((group, index) => {
    const id = group.group_id ?? `${index}`;
    const seen = first.get(id);
    if (seen === undefined) first.set(id, index);
    else if (errors.length < LIMITS.validation_errors_max) {
      errors.push({
        path: `groups[${index}].group_id`,
        message: `the same as that of groups[${seen}] (default: the index)`,
      });
    }
  });
  return errors;
}
