// Owns GET /v1/runs/:run_id/export: a run's rows as NDJSON, read page by page as the client takes them.
import * as z from "zod";
import { RunIdSchema } from "../core/contract.ts";
import { EXPORT_TABLES } from "../core/export-tables.ts";
import type { RouteDeps } from "../http/deps.ts";
import { pathParameter, queryParameters } from "../http/parameters.ts";
import { asApiError } from "../http/problem.ts";
import { type AppContext, timedStore } from "../http/scope.ts";
import { ndjsonResponse, pulledLines } from "../http/streams.ts";
import { noSuchRun } from "./runs.ts";

export const ExportQuerySchema = z.strictObject({ table: z.enum(EXPORT_TABLES) });

/** Rows, then one closing line: a stream without `end` was cut, and its rows are not the whole run. */
async function* withEnd(first: IteratorResult<unknown>, rows: AsyncIterator<unknown>, requestId: string) {
  let count = 0;
  try {
    for (let row = first; !row.done; row = await rows.next()) {
      count++;
      yield { type: "row", ...(row.value as object) };
    }
    yield { type: "end", rows: count };
  } catch (error) {
    const { code, message: detail } = asApiError(error);
    yield { type: "error", code, detail, rows: count, request_id: requestId };
  } finally {
    await rows.return?.();
  }
}

export function exportRun({ runLog, clock }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { table } = queryParameters(c, ExportQuerySchema);
    const scope = c.get("scope");
    const rows = runLog.exportRows(runId, table)[Symbol.asyncIterator]();
    const first = await timedStore(clock, scope, () => rows.next());
    if (first.done && (await timedStore(clock, scope, () => runLog.run(runId))) === null) throw noSuchRun();
    return ndjsonResponse(pulledLines(withEnd(first, rows, scope.id)));
  };
}
