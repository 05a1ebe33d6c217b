// Owns GET /v1/runs/:run_id/histogram: how rewards are spread at each step, and where specs
// changed.
import { said } from "#said";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/requests.ts";
import { overAxis } from "../../scoring/run-axis.ts";
import { axisFields, axisOf, EITHER_AXIS } from "../door/axis.ts";
import type { RouteDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, ofOneRun } from "./words.ts";

const STEPS = 300;
const BINS = 20;

export const HistogramQuerySchema = OwnerQuerySchema.extend({
  ...EITHER_AXIS,
  steps: wholeNumber(1, "health_steps_max")
    .default(STEPS)
    .meta(said(`how many of the run's last steps are looked at; default ${STEPS}`)),
  bins: wholeNumber(1, "histogram_bins_max")
    .default(BINS)
    .meta(said(`bins of one width, from the lowest reward to the highest; default ${BINS}`)),
});

export function runHistogram(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, by, window_groups, ...wanted } = queryParameters(c, HistogramQuerySchema);
    const { asked, windows } = axisOf({ by, window_groups });
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      const { axis, found: histogram } = await overAxis(
        asked,
        windows,
        (tried) => deps.runLog.histogram(run, wanted, tried),
        ({ specs }) => specs.length === 0,
      );
      if (histogram.specs.length === 0 && (await deps.runLog.run(run)) === null) return null;
      return { run_id: runId, owner: ownerName(run.owner), ...axisFields(axis), ...histogram };
    });
    return c.json(reply);
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/histogram": ofOneRun(
    "getRunHistogram",
    "How rewards are spread at each step",
    HistogramQuerySchema,
    "Rewards of complete groups; requests without a step are left out where others have one.",
  ),
}));
