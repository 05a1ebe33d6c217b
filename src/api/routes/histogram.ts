// Owns GET /v1/runs/:run_id/histogram: how rewards are spread at each step, and where specs
// changed.
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/requests.ts";
import type { RouteDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, ofOneRun } from "./words.ts";

const STEPS = 300;
const BINS = 20;

export const HistogramQuerySchema = OwnerQuerySchema.extend({
  steps: wholeNumber(1, "health_steps_max")
    .default(STEPS)
    .meta({ description: `how many of the run's last steps are looked at; default ${STEPS}` }),
  bins: wholeNumber(1, "histogram_bins_max")
    .default(BINS)
    .meta({ description: `bins of one width, from the lowest reward to the highest; default ${BINS}` }),
});

export function runHistogram(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, ...wanted } = queryParameters(c, HistogramQuerySchema);
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      const histogram = await deps.runLog.histogram(run, wanted);
      if (histogram.specs.length === 0 && (await deps.runLog.run(run)) === null) return null;
      return { run_id: runId, owner: ownerName(run.owner), ...histogram };
    });
    return c.json(reply);
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/histogram": ofOneRun(
    "getRunHistogram",
    "How rewards are spread at each step",
    HistogramQuerySchema,
    "Rewards of complete groups; requests without a step are left out.",
  ),
}));
