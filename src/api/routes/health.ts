// GET /v1/runs/:run_id/health: returns the alarms that a run's last steps raise, with their evidence.

import * as z from "zod";
import { said } from "#said";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/request-fields.ts";
import { lookOver } from "../../core/health/alarm.ts";
import { ALARMS } from "../../core/health/alarms/table.ts";
import type { AppDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, ofOneRun } from "./words.ts";

/** Default number of steps in which to look for alarms. */
const STEPS = 300;

export const HealthQuerySchema = OwnerQuerySchema.extend({
  steps: wholeNumber(1, "health_steps_max")
    .default(STEPS)
    .meta(said(`number of the run's last steps to check; default ${STEPS}`)),
  rows: z
    .enum(["true", "false"])
    .default("false")
    .meta(said("true: also returns the rows that the alarms check, one per step")),
});

export function runHealth(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, steps, rows: withRows } = queryParameters(c, HealthQuerySchema);
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      const first = await deps.runLog.health(run, steps);
      const isEmpty = first.length === 0;
      if (isEmpty && (await deps.runLog.run(run)) === null) return null;
      // Reads again, because the run's first request may have been stored between the two reads.
      const rows = isEmpty ? await deps.runLog.health(run, steps) : first;
      const { spans, looked_at } = lookOver(ALARMS, rows);
      return {
        run_id: runId,
        owner: ownerName(run.owner),
        first_step: rows[0]?.step ?? null,
        last_step: rows.at(-1)?.step ?? null,
        steps: rows.length,
        on: [...new Set(spans.flatMap(({ alarm, to_step }) => (to_step === null ? [alarm] : [])))],
        looked_at,
        alarms: spans,
        ...(withRows === "true" && { rows }),
      };
    });
    return c.json(reply);
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/health": ofOneRun(
    "getRunHealth",
    "Alarms raised by the run's last steps",
    HealthQuerySchema,
    "Requests without a step are ignored. docs/alarms.md explains each alarm and what to do. `to_step` is null while an alarm is on; `on` lists these alarms. An alarm that is missing from `looked_at` had no data to check, so its silence means nothing.",
  ),
}));
