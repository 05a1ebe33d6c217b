// GET /v1/runs/:run_id/export: exports a run's rows as NDJSON, at the client's speed (back-pressure).
import * as z from "zod";
import { EXPORT_TABLES, type ExportTable } from "../../core/contract/export-tables.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/request-fields.ts";
import { TRAINING_TABLES } from "../../core/contract/training-rows.ts";
import { asApiError } from "../../core/faults/errors.ts";
import type { RunDetail } from "../../ports/logged-rows.ts";
import type { RunLog } from "../../ports/run-log.ts";
import type { AppDeps } from "../door/deps.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { pulledLines } from "../door/streams.ts";
import { TAKES, type TrainingQuery, TrainingQuerySchema, trainingRows } from "./export-training.ts";
import { documented, ofOneRun } from "./words.ts";

const TableSchema = z.enum([...EXPORT_TABLES, ...TRAINING_TABLES]);
type Table = z.output<typeof TableSchema>;

const isTraining = (table: Table): table is keyof typeof TAKES => Object.hasOwn(TAKES, table);

export const ExportQuerySchema = OwnerQuerySchema.extend({ table: TableSchema, ...TrainingQuerySchema.shape }).check(
  ({ value: { owner: _, table, ...query }, issues }) => {
    for (const name of Object.keys(query) as (keyof TrainingQuery)[]) {
      if (query[name] === undefined || (isTraining(table) && TAKES[table].includes(name))) continue;
      issues.push({ code: "custom", path: [name], message: `does not apply to table=${table}`, input: query[name] });
    }
  },
);

const rowsOf = (runLog: RunLog, run: RunKey, table: Table, query: TrainingQuery): AsyncIterable<unknown> =>
  isTraining(table) ? trainingRows(runLog, run, table, query) : runLog.exportRows(run, table satisfies ExportTable);

/** Yields the rows and a closing line. A stream without an `end` line was cut off and is incomplete. */
async function* withEnd(
  first: IteratorResult<unknown>,
  rows: AsyncIterator<unknown>,
  requestId: string,
  { metadata }: RunDetail,
) {
  let count = 0;
  try {
    let row = first;
    for (; !row.done; row = await rows.next()) {
      count++;
      yield { type: "row", ...(row.value as object) };
    }
    // `row.value` is the generator's return value: for training rows, the number of omitted groups by reason.
    yield { type: "end", rows: count, ...(row.value as object | undefined), ...(metadata !== null && { metadata }) };
  } catch (error) {
    const { code, message: detail } = asApiError(error);
    yield { type: "error", code, detail, rows: count, request_id: requestId };
  } finally {
    await rows.return?.();
  }
}

export function exportRun(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { table, owner, ...query } = queryParameters(c, ExportQuerySchema);
    const { first, rows, detail } = await ofRun(c, deps, runId, owner, async (run) => {
      const rows = rowsOf(deps.runLog, run, table, query)[Symbol.asyncIterator]();
      const first = await rows.next();
      const detail = await deps.runLog.run(run);
      return detail === null ? null : { first, rows, detail };
    });
    return pulledLines(c, withEnd(first, rows, c.get("scope").id, detail));
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/runs/:run_id/export": {
    ...ofOneRun(
      "exportRun",
      "Exports a run as NDJSON",
      ExportQuerySchema,
      "One `row` line per row, then one `end` line with the run's `metadata`, if any was set; a stream without an `end` line is incomplete. `texts` are the prompts and rollouts of requests whose spec sets `log_texts`, `audit_verdicts` the verdicts of audit judges, `turns` hashes of the turns of agent runs. `pairs` and `positives` are built from those texts with the columns of TRL's datasets. `pairs` combines the best and worst answers of a group, at most `per_group` (1) pairs per group and `per_prompt` per prompt, with rewards at least `margin` apart. `positives` are the best answers, with a reward of at least `least` or above the group's mean. Prompts and answers are messages, or texts with `form=text`. `left_out` of the last line counts groups without a usable row.",
    ),
    said: "Rows, oldest first.",
    lines: true,
  },
}));
