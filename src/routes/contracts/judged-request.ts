// Owns the one way from a foreign contract's groups to scores: rules across groups, the log, cancellation. Knows no dialect.
import type { Group } from "../../core/contract.ts";
import { ApiError } from "../../core/errors.ts";
import type { Spec } from "../../core/spec.ts";
import type { RouteDeps } from "../../http/deps.ts";
import { type AppContext, cancellation, keepAlive } from "../../http/scope.ts";
import { checkRewardsRequest } from "../rewards-rules.ts";
import { type ScoredRequest, scoreAndLog } from "../scored-request.ts";

export interface JudgingRequest {
  groups: Group[];
  spec: Spec;
  run_id: string | undefined;
  step: number | undefined;
  deadline_ms: number;
}

export interface RunningJudgement {
  scored: Promise<ScoredRequest>;
  /** Ends the verifier's work, for a client that stopped reading. */
  stop(): void;
}

/**
 * Starts scoring and logging, as /v1/rewards does. Work goes on in the isolate until the log is written even if the client goes.
 * @throws ApiError `too_many_rollouts` at once; other faults of the request through the promise
 */
export function beginJudging(c: AppContext, deps: RouteDeps, request: JudgingRequest): RunningJudgement {
  checkRewardsRequest(request);
  const cancel = cancellation(c);
  const scored = scoreAndLog(deps, c.get("scope"), request, request.spec, cancel.signal);
  keepAlive(c, scored);
  return { scored, stop: () => cancel.abort("cancelled") };
}

/** Contracts without token lengths cannot meet a spec with `overlong`; the refusal says so in their words. */
export function refuseOverlong(spec: Spec, field: string): void {
  if (spec.overlong === null) return;
  const message = `${field} carry no token lengths, which the spec's overlong needs; name a spec without overlong`;
  throw new ApiError("length_tokens_required", `${message}.`, { errors: [{ path: field, message }] });
}
