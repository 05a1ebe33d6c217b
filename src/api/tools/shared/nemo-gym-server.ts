// Routes of a NeMo-Gym resources server that do not score: sessions, and statistics (mean, max, min, median
// and std) of all numbers in verified rows, per task and overall.

import * as z from "zod";
import { said } from "#said";
import { mean, percentile, populationStd } from "../../../core/math/stats.ts";
import { readJson } from "../../door/body.ts";
import type { AppContext } from "../../door/scope.ts";
import { invalidRequest, objectBody } from "../../door/validation.ts";
import { contractBody } from "./contract.ts";

const RowSchema = z.record(z.string(), z.unknown());
export const AggregateRequestSchema = z.object({ verify_responses: z.array(RowSchema) });
const MetricsSchema = z.record(z.string(), z.number());
export const AggregateReplySchema = z.object({
  group_level_metrics: z.array(MetricsSchema),
  agent_metrics: MetricsSchema,
  key_metrics: MetricsSchema.meta(said("mean of each metric")),
});

const TASK = "_ng_task_index";
const ROLLOUT = "_ng_rollout_index";
type Row = z.output<typeof RowSchema>;
type Columns = Map<string, number[]>;

/**
 * All numbers at the top level of a row and in its response's usage, except indices and the mask flag.
 * Booleans count as 0 and 1.
 */
function numbers(row: Row): [string, number][] {
  const response = row.response as { usage?: unknown } | null | undefined;
  const fields = Object.entries({ ...row, ...(response?.usage as object | undefined) });
  return fields.flatMap(([name, value]): [string, number][] => {
    if (name === TASK || name === ROLLOUT || name === "mask_sample") return [];
    const number = typeof value === "boolean" ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) ? [[name, number]] : [];
  });
}

function columnsOf(rows: readonly Row[]): Columns {
  const columns: Columns = new Map();
  for (const row of rows) {
    for (const [name, value] of numbers(row)) {
      const column = columns.get(name);
      if (column === undefined) columns.set(name, [value]);
      else column.push(value);
    }
  }
  return columns;
}

/**
 * Statistics under NeMo-Gym's names, such as `mean/reward` and `max/reward`. The std has the divisor n - 1
 * and is 0 for a single value.
 */
function described(rows: readonly Row[]): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [name, values] of columnsOf(rows)) {
    const sorted = [...values].sort((a, b) => a - b);
    metrics[`mean/${name}`] = mean(values);
    metrics[`max/${name}`] = sorted.at(-1) as number;
    metrics[`min/${name}`] = sorted[0] as number;
    metrics[`median/${name}`] = percentile(sorted, 0.5);
    const [n, spread] = [values.length, populationStd(values)];
    metrics[`std/${name}`] = n === 1 ? 0 : spread * Math.sqrt(n / (n - 1));
  }
  return metrics;
}

/**
 * Whether a row counts in the statistics. Rows whose judge failed do not; NeMo-Gym marks them in one of three
 * fields.
 */
const measured = (row: Row) =>
  row.mask_sample !== true &&
  (row.instance_config as { mask_sample?: unknown } | null | undefined)?.mask_sample !== true &&
  row._ng_failure_class === undefined;

const isRow = (row: unknown) => typeof row === "object" && row !== null && !Array.isArray(row);

/** Rejects invalid rows. Reports only the first one, so that a million invalid rows cause only one error. */
function requireRows(rows: unknown): void {
  const wrong = Array.isArray(rows) ? rows.findIndex((row) => !isRow(row)) : -1;
  if (wrong >= 0) throw invalidRequest([{ path: `verify_responses[${wrong}]`, message: "expected an object" }]);
}

export function aggregateMetrics() {
  return async (c: AppContext): Promise<Response> => {
    const body = objectBody(await readJson(c.req.raw));
    requireRows(body.verify_responses);
    const { verify_responses } = contractBody(AggregateRequestSchema, body);
    const rows = verify_responses.filter(measured);
    const tasks = Map.groupBy(rows, (row) => Number(row[TASK] ?? 0));
    const agent_metrics = described(rows);
    const means = Object.entries(agent_metrics).filter(([name]) => name.startsWith("mean/"));
    return c.json({
      group_level_metrics: [...tasks]
        .sort(([a], [b]) => a - b)
        .map(([task, resource]) => ({ ...described(resource), [TASK]: task })),
      agent_metrics,
      key_metrics: Object.fromEntries(means),
    } satisfies z.output<typeof AggregateReplySchema>);
  };
}

/**
 * Starts or closes a session, which has no state here. NeMo-Gym's Environment Server expects its session id
 * in the reply, whereas an agent expects an empty object.
 */
export function session() {
  return async (c: AppContext): Promise<Response> => {
    const { resources_session_id } = objectBody(await readJson(c.req.raw));
    return c.json(typeof resources_session_id === "string" ? { resources_session_id } : {});
  };
}

/** Verifying rows again is unsupported, because rewards are relative to a group and such rows have none. */
export function reverifyMode() {
  return (c: AppContext): Response => c.json("unsupported");
}
