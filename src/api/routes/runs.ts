// GET /v1/runs and what is below one run: summary, steps, groups.

import * as z from "zod";
import { said } from "#said";
import type { RunKey } from "../../core/contract/owner.ts";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema, StepSchema } from "../../core/contract/requests.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { RouteDeps } from "../door/deps.ts";
import { listedOwner, OwnerQuerySchema, ofRun, RunsQuerySchema } from "../door/owned.ts";
import { GroupsQuerySchema, numberText, pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, ofOneRun, READ } from "./words.ts";

const step = (description: string) => numberText(StepSchema).nullable().default(null).meta({ description });

/** Which steps: all, unless bounded. */
export const StepsQuerySchema = OwnerQuerySchema.extend({
  after: step("only steps above this one, as for asking again for what is new"),
  from: step("only steps from this one"),
  to: step("only steps up to this one"),
  limit: wholeNumber(1, "page_rows_max")
    .nullable()
    .default(null)
    .meta(said("at most so many, the lowest; default all. `next_from` of the reply goes on behind them")),
  signals: z
    .enum(["true", "false"])
    .default("false")
    .meta(said("true: also each signal's mean, and its missing values by code")),
});

/** A run's groups, page by page. */
export const RunGroupsQuerySchema = GroupsQuerySchema.extend(OwnerQuerySchema.shape);

export function runList({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { owner: named, ...page } = queryParameters(c, RunsQuerySchema);
    const owner = listedOwner(c, named);
    const { rows, next_cursor } = await timedStore(clock, c.get("scope"), () => runLog.runs({ owner, ...page }));
    return c.json({ runs: rows, next_cursor });
  };
}

export function runDetail(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    return c.json(await ofRun(c, deps, runId, owner, (run) => deps.runLog.run(run)));
  };
}

/** `rows`, or null where the run does not exist. */
async function unlessNone<T>(
  { runLog }: RouteDeps,
  run: RunKey,
  rows: readonly unknown[],
  reply: T,
): Promise<T | null> {
  return rows.length > 0 || (await runLog.run(run)) !== null ? reply : null;
}

export function runSteps(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner, limit, signals, ...range } = queryParameters(c, StepsQuerySchema);
    const reply = await ofRun(c, deps, runId, owner, async (run) => {
      // One row more than is returned says whether there are more, and where they begin.
      const wanted = { ...range, limit: limit === null ? null : limit + 1 };
      const found = await deps.runLog.steps(run, wanted, signals === "true");
      const rows = found.slice(0, limit ?? found.length);
      const body = { run_id: runId, owner: ownerName(run.owner), steps: rows };
      return unlessNone(deps, run, rows, { ...body, next_from: found[rows.length]?.step ?? null });
    });
    return c.json(reply);
  };
}

export function runGroups(deps: RouteDeps) {
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
  "GET /v1/runs/:run_id": ofOneRun("getRun", "One run's summary and its specs", OwnerQuerySchema),
  "GET /v1/runs/:run_id/steps": ofOneRun("getRunSteps", "A row a step", StepsQuerySchema),
  "GET /v1/runs/:run_id/groups": ofOneRun(
    "getRunGroups",
    "Groups with rewards, win counts and labels",
    RunGroupsQuerySchema,
  ),
}));
