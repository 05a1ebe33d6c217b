// Owns GET /v1/runs/:run_id/compare: a run beside another on the prompts that both have, paired.
import { said } from "#said";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/requests.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { commonPrompts, type LoggedComparison, pairedRuns } from "../../core/health/paired-runs.ts";
import { hashText } from "../../core/math/random.ts";
import { BY_STEP, type RunAxis } from "../../ports/run-axis.ts";
import type { RunKey } from "../../ports/run-log.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import { axisFields, axisOf, EITHER_AXIS } from "../door/axis.ts";
import type { RouteDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { invalidRequest } from "../door/validation.ts";
import { documented, ofOneRun } from "./words.ts";

const STEPS = 10;

export const CompareQuerySchema = OwnerQuerySchema.extend({
  by: EITHER_AXIS.by.meta(
    said(
      `\`step\`: the trainers' steps. \`window\`: all requests of each run in order of logging, so many groups a window; a step is then a window's number. Default: steps where both runs have some, else windows`,
    ),
  ),
  window_groups: EITHER_AXIS.window_groups,
  with: RunIdSchema.meta({ ...said("the other run"), examples: ["another-run"] }),
  with_owner: OwnerQuerySchema.shape.owner.meta(said("whose the other run is, as `owner`")),
  steps: wholeNumber(1, "compare_steps_max")
    .default(STEPS)
    .meta(said(`how many of the last steps that both have are read; default ${STEPS}`)),
});

interface RunSteps {
  run: RunKey;
  steps: readonly number[];
}

async function stepsOfRun({ runLog }: RouteDeps, run: RunKey, axis: RunAxis): Promise<RunSteps | null> {
  const steps = await runLog.stepsWithGroups(run, axis);
  return steps.length === 0 && (await runLog.run(run)) === null ? null : { run, steps };
}

/** The last steps that both have, over the axis that is asked for or that both have. */
interface Common {
  axis: RunAxis;
  steps: readonly number[];
}

async function commonSteps(
  deps: RouteDeps,
  asked: { asked: RunAxis | null; windows: RunAxis },
  known: readonly [RunSteps, RunSteps],
  most: number,
): Promise<Common> {
  // Of a run that tells no step none is the other's.
  const stepless = known.some(({ steps }) => steps.length === 0);
  const axis = asked.asked ?? (stepless ? asked.windows : BY_STEP);
  const over = axis.by === "step" ? known.map(({ steps }) => steps) : [];
  if (axis.by === "window") for (const { run } of known) over.push(await deps.runLog.stepsWithGroups(run, axis));
  const theirs = new Set(over[1]);
  return { axis, steps: (over[0] ?? []).filter((step) => theirs.has(step)).slice(-most) };
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
async function groupsAt({ runLog }: RouteDeps, run: RunKey, { axis, steps }: Common): Promise<LoggedComparison[]> {
  const found: LoggedComparison[] = [];
  for (const step of steps) for (const group of await runLog.compared(run, step, axis)) found.push(group);
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
    const query = queryParameters(c, CompareQuerySchema);
    const { with: otherId, owner, with_owner, steps: most } = query;
    const stepsOf = (run: RunKey) => stepsOfRun(deps, run, BY_STEP);
    const base = await ofRun(c, deps, runId, owner, stepsOf);
    const other = await ofRun(c, deps, otherId, with_owner, stepsOf).catch(otherFault);
    const timed = <T>(work: () => Promise<T>) => timedStore(deps.clock, c.get("scope"), work);
    const common = await timed(() => commonSteps(deps, axisOf(query), [base, other], most));
    const mine = await timed(() => groupsAt(deps, base.run, common));
    const beside = await timed(() => groupsAt(deps, other.run, common));
    const resamples = resamplesFor(commonPrompts(mine, beside).length);
    return c.json({
      run_id: runId,
      owner: ownerName(base.run.owner),
      with: { run_id: otherId, owner: ownerName(other.run.owner) },
      ...axisFields(common.axis),
      steps: common.steps,
      spec_hashes: [...new Set([...mine, ...beside].map(({ spec_hash }) => spec_hash))].sort(),
      ...pairedRuns(mine, beside, { resamples, seed: hashText("runs", runId, otherId) }),
    });
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/compare": ofOneRun(
    "compareRuns",
    "How the run differs from another on the prompts that both have",
    CompareQuerySchema,
    "Paired by prompt over the complete groups of the last steps that both have, or, where a run has none, of the last windows that both have: each prompt counts once, and the intervals draw whole prompts. An interval that holds 0 tells no difference.",
  ),
}));
