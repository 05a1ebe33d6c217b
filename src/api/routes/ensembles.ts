// Owns POST /v1/ensembles/fit: weights for several judges of a logged run, without labels. The fit
// is core/signals/ensemble.ts.
import * as z from "zod";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema, StepSchema } from "../../core/contract/requests.ts";
import { bound } from "../../core/faults/limit-advice.ts";
import { SignalNameSchema } from "../../core/signals/signals-spec.ts";
import { fitRun } from "../../scoring/fit-ensemble.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { OwnerQuerySchema, ofRun } from "../http/owned.ts";
import { queryParameters } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { validated } from "../http/validation.ts";

export const EnsembleRequestSchema = z.strictObject({
  run_id: RunIdSchema,
  signals: z
    .array(SignalNameSchema)
    .min(2)
    .max(...bound("signals_max"))
    .nullable()
    .default(null)
    .meta({ description: "whose values to weigh; default: every signal that a judge tells" }),
  from_step: StepSchema.nullable().default(null).meta({ description: "only steps from this one" }),
  to_step: StepSchema.nullable().default(null).meta({ description: "only steps up to this one" }),
});

export function fitEnsembleRoute(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { owner } = queryParameters(c, OwnerQuerySchema);
    const { run_id, signals, from_step, to_step } = validated(EnsembleRequestSchema, await readJson(c.req.raw));
    const names = signals === null ? null : [...new Set(signals)];
    const steps = { from: from_step, to: to_step };
    const reply = await ofRun(c, deps, run_id, owner, async (run) => {
      const fit = await fitRun(deps.runLog, run, names, steps);
      return fit === null ? null : { run_id, owner: ownerName(run.owner), ...fit };
    });
    return c.json(reply);
  };
}
