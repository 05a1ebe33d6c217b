// Owns GET /v1/runs and what lies under one run. Knows no SQL.
import { RunIdSchema } from "../core/contract.ts";
import { ApiError } from "../core/errors.ts";
import type { RouteDeps } from "../http/deps.ts";
import { GroupsQuerySchema, PageQuerySchema, pathParameter, queryParameters } from "../http/parameters.ts";
import { type AppContext, timedStore } from "../http/scope.ts";

export const noSuchRun = () =>
  new ApiError("not_found", "No run of this id is in the log. One whose reply said queued is there within seconds.");

export function runList({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const page = queryParameters(c, PageQuerySchema);
    const { rows, next_cursor } = await timedStore(clock, c.get("scope"), () => runLog.runs(page));
    return c.json({ runs: rows, next_cursor });
  };
}

export function runDetail({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const run = await timedStore(clock, c.get("scope"), () => runLog.run(runId));
    if (run === null) throw noSuchRun();
    return c.json(run);
  };
}

export function runSteps({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const steps = await timedStore(clock, c.get("scope"), () => runLog.steps(runId));
    if (steps.length === 0) throw noSuchRun();
    return c.json({ run_id: runId, steps });
  };
}

export function runGroups({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const page = queryParameters(c, GroupsQuerySchema);
    const { rows, next_cursor } = await timedStore(clock, c.get("scope"), () => runLog.groups(runId, page));
    if (rows.length === 0 && (await timedStore(clock, c.get("scope"), () => runLog.run(runId))) === null) {
      throw noSuchRun();
    }
    return c.json({ run_id: runId, groups: rows, next_cursor });
  };
}
