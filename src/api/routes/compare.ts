// Owns GET /v1/runs/:run_id/compare: a run beside another on the prompts that both have, paired.
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/requests.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { commonPrompts, type LoggedComparison, pairedRuns } from "../../core/health/paired-runs.ts";
import { hashText } from "../../core/math/random.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { RunKey, RunLog } from "../../scoring/run-log-port.ts";
import type { RouteDeps } from "../http/deps.ts";
import { OwnerQuerySchema, ofRun } from "../http/owned.ts";
import { pathParameter, queryParameters, wholeNumber } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { invalidRequest } from "../http/validation.ts";

const STEPS = 10;

export const CompareQuerySchema = OwnerQuerySchema.extend({
  with: RunIdSchema.meta({ description: "the other run", examples: ["another-run"] }),
  with_owner: OwnerQuerySchema.shape.owner.meta({ description: "whose the other run is, as `owner`" }),
  steps: wholeNumber(1, "compare_steps_max")
    .default(STEPS)
    .meta({ description: `how many of the last steps that both have are read; default ${STEPS}` }),
});

interface Known {
  run: RunKey;
  steps: readonly number[];
}

async function known({ runLog }: RouteDeps, run: RunKey): Promise<Known | null> {
  const steps = await runLog.stepsWithGroups(run);
  return steps.length === 0 && (await runLog.run(run)) === null ? null : { run, steps };
}

/** What is wrong with the second run is said of the field that names it. */
function otherFault(fault: unknown): never {
  if (fault instanceof ApiError && fault.code === "not_found") {
    throw invalidRequest([{ path: "with", message: "no run of this id that this key may read is in the log" }]);
  }
  if (fault instanceof ApiError && fault.code === "invalid_request") {
    throw invalidRequest((fault.errors ?? []).map(({ message }) => ({ path: "with_owner", message })));
  }
  throw fault;
}

/** The groups of some steps, a step a round trip. */
async function groupsAt(runLog: RunLog, run: RunKey, steps: readonly number[]): Promise<LoggedComparison[]> {
  const found: LoggedComparison[] = [];
  for (const step of steps) for (const group of await runLog.compared(run, step)) found.push(group);
  return found;
}

/** Of many prompts fewer resamples are enough, and more would hold the Worker up. */
const resamplesFor = (prompts: number): number =>
  Math.max(
    LIMITS.compare_resamples_min,
    Math.min(LIMITS.compare_resamples, Math.floor(LIMITS.compare_draws_max / Math.max(1, prompts))),
  );

export function compareRuns(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { with: otherId, owner, with_owner, steps: most } = queryParameters(c, CompareQuerySchema);
    const one = await ofRun(c, deps, runId, owner, (run) => known(deps, run));
    const other = await ofRun(c, deps, otherId, with_owner, (run) => known(deps, run)).catch(otherFault);
    const theirs = new Set(other.steps);
    const steps = one.steps.filter((step) => theirs.has(step)).slice(-most);
    const read = ({ run }: Known) => timedStore(deps.clock, c.get("scope"), () => groupsAt(deps.runLog, run, steps));
    const [mine, beside] = [await read(one), await read(other)];
    const resamples = resamplesFor(commonPrompts(mine, beside).length);
    return c.json({
      run_id: runId,
      owner: ownerName(one.run.owner),
      with: { run_id: otherId, owner: ownerName(other.run.owner) },
      steps,
      spec_hashes: [...new Set([...mine, ...beside].map(({ spec_hash }) => spec_hash))].sort(),
      ...pairedRuns(mine, beside, { resamples, seed: hashText("runs", runId, otherId) }),
    });
  };
}
