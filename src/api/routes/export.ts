// Owns GET /v1/runs/:run_id/export: a run's rows as NDJSON, read page by page as the client takes
// them.
import * as z from "zod";
import { EXPORT_TABLES } from "../../core/contract/export-tables.ts";
import { RunIdSchema } from "../../core/contract/requests.ts";
import { asApiError } from "../../core/faults/errors.ts";
import type { RunDetail } from "../../ports/run-log.ts";
import type { RouteDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { pulledLines } from "../door/streams.ts";
import { documented, ofOneRun } from "./words.ts";

export const ExportQuerySchema = OwnerQuerySchema.extend({ table: z.enum(EXPORT_TABLES) });

/**
 * Rows, then one closing line: a stream without `end` was cut, and its rows are not the whole run.
 */
async function* withEnd(
  first: IteratorResult<unknown>,
  rows: AsyncIterator<unknown>,
  requestId: string,
  { metadata }: RunDetail,
) {
  let count = 0;
  try {
    for (let row = first; !row.done; row = await rows.next()) {
      count++;
      yield { type: "row", ...(row.value as object) };
    }
    yield { type: "end", rows: count, ...(metadata !== null && { metadata }) };
  } catch (error) {
    const { code, message: detail } = asApiError(error);
    yield { type: "error", code, detail, rows: count, request_id: requestId };
  } finally {
    await rows.return?.();
  }
}

export function exportRun(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { table, owner } = queryParameters(c, ExportQuerySchema);
    const { runLog } = deps;
    const { first, rows, detail } = await ofRun(c, deps, runId, owner, async (run) => {
      const rows = runLog.exportRows(run, table)[Symbol.asyncIterator]();
      const first = await rows.next();
      const detail = await runLog.run(run);
      return detail === null ? null : { first, rows, detail };
    });
    return pulledLines(c, withEnd(first, rows, c.get("scope").id, detail));
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/export": {
    ...ofOneRun(
      "exportRun",
      "Everything of a run as NDJSON",
      ExportQuerySchema,
      "One `row` line a row and one `end` line last, with the run's `metadata` where something was said of it; a stream that ends without it was cut. `texts` are the prompts and rollouts of requests whose spec says `log_texts`, `audit_verdicts` what an audit's judge said, `turns` hashes of the turns of agents' runs.",
    ),
    said: "Rows, oldest first.",
    lines: true,
  },
}));
