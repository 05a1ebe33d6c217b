// GET routes for the list of runs, and for a run's summary, steps and groups.

import * as z from "zod";
import { said } from "#said";
import type { RunKey } from "../../core/contract/owner.ts";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema, StepSchema } from "../../core/contract/request-fields.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { AppDeps } from "../door/deps.ts";
import { listedOwner, OwnerQuerySchema, ofRun, RunsQuerySchema } from "../door/owned.ts";
import { GroupsQuerySchema, numberText, pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, ofOneRun, READ } from "./words.ts";

const step = (description: string) => numberText(StepSchema).nullable().default(null).meta({ description });

/** Query parameters that select a range of steps; all steps by default. */
export const StepsQuerySchema = OwnerQuerySchema.extend({
  after: step("only steps after this step, for example to poll for new steps"),
  from: step("only steps from this step on"),
  to: step("only steps up to this step"),
  limit: wholeNumber(1, "page_rows_max")
    .nullable()
    .default(null)
    .meta(said("maximum number of steps, lowest first; default: all. Continue with `next_from` of the reply")),
  signals: z
    .enum(["true", "false"])
    .default("false")
    .meta(said("true: also returns each signal's mean, and its missing values by code")),
});

/** Query parameters for paging through a run's groups. */
export const RunGroupsQuerySchema = GroupsQuerySchema.extend(OwnerQuerySchema.shape);

export function runList({ runLog, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { owner: named, ...page } = queryParameters(c, RunsQuerySchema);
    const owner = listedOwner(c, named);
    const { rows, next_cursor } = await timedStore(clock, c.get("scope"), () => runLog.runs({ owner, ...page }));
    return c.json({ runs: rows, next_cursor });
  };
}

export function runDetail(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    return c.json(await ofRun(c, deps, runId, owner, (run) => deps.runLog.run(run)));
  };
}

/** Returns the reply, or null if the run does not exist. */
async function unlessNone<T>({ runLog }: AppDeps, run: RunKey, rows: readonly unknown[], reply: T): Promise<T | null> {
  return rows.length > 0 || (await runLog.run(run)) !== null ? reply : null;
}

export function runSteps(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, limit, signals, ...range } = queryParameters(c, StepsQuerySchema);
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      // Reads one row more than requested, to find out whether there are more rows and where they start.
      const wanted = { ...range, limit: limit === null ? null : limit + 1 };
      const found = await deps.runLog.steps(run, wanted, signals === "true");
      const rows = found.slice(0, limit ?? found.length);
      const body = { run_id: runId, owner: ownerName(run.owner), steps: rows };
      return unlessNone(deps, run, rows, { ...body, next_from: found[rows.length]?.step ?? null });
    });
    return c.json(reply);
  };
}

export function runGroups(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, ...page } = queryParameters(c, RunGroupsQuerySchema);
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      const { rows, next_cursor } = await deps.runLog.groups(run, page);
      const body = { run_id: runId, owner: ownerName(run.owner), groups: rows, next_cursor };
      return unlessNone(deps, run, rows, body);
    });
    return c.json(reply);
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs": {
    ...{ operationId: "listRuns", tag: "Run log", summary: "Runs, newest first" },
    query: RunsQuerySchema,
    faults: [400, ...READ],
  },
  "GET /v1/runs/:run_id": ofOneRun("getRun", "A run's summary and its specs", OwnerQuerySchema),
  "GET /v1/runs/:run_id/steps": ofOneRun("getRunSteps", "A run's statistics, one row per step", StepsQuerySchema),
  "GET /v1/runs/:run_id/groups": ofOneRun(
    "getRunGroups",
    "A run's groups with rewards, win counts and labels",
    RunGroupsQuerySchema,
  ),
}));
