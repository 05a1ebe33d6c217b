// Owns the one way from a foreign contract's groups to scores: rules across groups, the log,
// cancellation. Knows no dialect.
import type { Group } from "../../core/contract/requests.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { type AnySpec, type CompiledSpec, hasSignals } from "../../core/signals/compiled-spec.ts";
import { needsFact, needsLengths } from "../../core/signals/facts.ts";
import { type ScoredRequest, scoreAndLog } from "../../scoring/score-and-log.ts";
import type { RouteDeps } from "../http/deps.ts";
import { type AppContext, cancellation, keepAlive } from "../http/scope.ts";
import { checkRewardsRequest } from "../routes/rewards-rules.ts";

interface JudgingRequest {
  groups: Group[];
  spec: AnySpec;
  run_id: string | undefined;
  step: number | undefined;
  deadline_ms: number;
  /** Whether somebody waits for the answer: it goes before batches of rewards. */
  interactive?: boolean;
}

/** Of requests for which somebody waits. */
const INTERACTIVE_PRIORITY = -10;

interface RunningJudgement {
  scored: Promise<ScoredRequest>;
  /** Ends the verifier's work, for a client that stopped reading. */
  stop(): void;
}

/**
 * Starts scoring and logging, as /v1/rewards does. Work goes on in the isolate until the log is
 * written even if the client goes.
 * @throws ApiError `too_many_rollouts` at once; other faults of the request through the promise
 */
export function beginJudging(c: AppContext, deps: RouteDeps, request: JudgingRequest): RunningJudgement {
  checkRewardsRequest(request);
  c.set("deadline_ms", request.deadline_ms);
  const cancel = cancellation(c);
  const scope = c.get("scope");
  if (request.interactive === true) scope.priority = INTERACTIVE_PRIORITY;
  const scored = scoreAndLog(deps, scope, request, request.spec, cancel.signal);
  keepAlive(c, scored);
  return { scored, stop: () => cancel.abort("cancelled") };
}

/** What of a spec's needs a contract's request carries, or says otherwise what it lacks. */
interface Carried {
  lengths: boolean;
  facts: boolean;
}

/**
 * A contract cannot meet a spec that needs facts which it has no place for; the refusal says so in
 * its words.
 */
export function refuseUnmet(compiled: CompiledSpec, field: string, has: Partial<Carried> = {}): void {
  const { spec } = compiled;
  const fact = has.facts === true ? null : needsFact(compiled);
  if (fact !== null) {
    const message = `${field} carry no ${fact.field}, which ${fact.who} of the spec needs; send it to /v1/rewards, or name a spec without it`;
    throw new ApiError("facts_required", `${message}.`, { errors: [{ path: field, message }] });
  }
  const who = has.lengths === true ? null : needsLengths(compiled);
  if (who === null) return;
  const whose = hasSignals(spec) ? `which ${who} of the spec needs` : `which the spec's ${who} needs`;
  const message = `${field} carry no token lengths, ${whose}; name a spec without ${hasSignals(spec) ? "it" : who}`;
  throw new ApiError("length_tokens_required", `${message}.`, { errors: [{ path: field, message }] });
}
