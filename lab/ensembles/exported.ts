// Reads a run's exported signals and the labels of its groups, and fits weights to both. No verifier is
// asked.
import * as z from "zod";
import { type EnsembleFit, fitEnsemble, type LabelledGroup } from "./fit.ts";

const SignalSchema = z.object({
  type: z.literal("row"),
  group_id: z.string(),
  rollout_index: z.int().min(0),
  signal: z.string(),
  value: z.number().nullable(),
});
type SignalLine = z.output<typeof SignalSchema>;

const GroupSchema = z.object({
  type: z.literal("row"),
  id: z.string(),
  pass_rates: z.array(z.number().nullable()),
});

const lastLines = [
  z.object({ type: z.literal("end"), rows: z.int() }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string() }),
] as const;

/** Why a file cannot be fitted, in words for the person who gave it. */
export class ExportFault extends Error {}

/** A group's values by signal, one a rollout. */
type Columns = Map<string, (number | null)[]>;

const SIGNALS_MIN = 2;
const GROUPS_MIN = 30;

/**
 * Weights for the signals `names` by the lines of `GET /v1/runs/:run_id/export?table=signals` and, for the
 * labels, of `..table=groups`. Groups whose spec did not have all of the signals, or whose labels are all
 * equal, are left out.
 * @throws ExportFault for a part of an export, for too few signals, and for too few labelled groups
 */
export async function fitExport(
  signals: AsyncIterable<string>,
  groups: AsyncIterable<string>,
  names: readonly string[],
): Promise<EnsembleFit> {
  const labels = new Map<string, readonly (number | null)[]>();
  for await (const { id, pass_rates } of exportedRows(groups, "groups", GroupSchema)) labels.set(id, pass_rates);
  const wanted = [...new Set(names)];
  const known = new Set<string>();
  const labelled: LabelledGroup[] = [];
  let complete = 0;
  for await (const [id, columns] of groupsOf(exportedRows(signals, "signals", SignalSchema))) {
    for (const name of columns.keys()) known.add(name);
    const chosen = wanted.map((name) => columns.get(name)).filter((column) => column !== undefined);
    if (chosen.length < wanted.length) continue;
    complete++;
    const group = labelledGroup(chosen, labels.get(id) ?? []);
    if (new Set(group.labels).size > 1) labelled.push(group);
  }
  const there = `the export contains ${[...known].sort().join(", ") || "none"}`;
  if (wanted.length < SIGNALS_MIN)
    throw new ExportFault(`--signals must name at least ${SIGNALS_MIN} signals; ${there}`);
  if (complete === 0) throw new ExportFault(`--signals: no group has all of ${wanted.join(", ")}; ${there}`);
  if (labelled.length < GROUPS_MIN) {
    throw new ExportFault(
      `${labelled.length} groups have differing labels (pass_rate); at least ${GROUPS_MIN} are needed. Send pass_rate with the rollouts`,
    );
  }
  return fitEnsemble(wanted, labelled);
}

/** The rollouts that have a label and every value. */
function labelledGroup(columns: readonly (number | null)[][], rates: readonly (number | null)[]): LabelledGroup {
  const rows = rates.flatMap((label, r) => {
    const values = columns.map((column) => column[r] ?? null).filter((value) => value !== null);
    return label === null || values.length < columns.length ? [] : [{ label, values }];
  });
  return { values: rows.map(({ values }) => values), labels: rows.map(({ label }) => label) };
}

/**
 * The rows of an exported table.
 * @throws ExportFault for a line of another table, and for an export without its last line
 */
export async function* exportedRows<T extends z.ZodObject>(
  lines: AsyncIterable<string>,
  table: string,
  row: T,
): AsyncGenerator<z.output<T>> {
  const schema = z.union([row, ...lastLines]);
  let rows = 0;
  for await (const text of lines) {
    const line = lineOf(text, schema, table);
    if (line.type === "error") throw new ExportFault(`the export was cut off: ${line.code}, ${line.detail}`);
    if (line.type === "end" && line.rows === rows) return;
    if (line.type === "end") throw new ExportFault(`the export has only ${rows} of ${line.rows} rows`);
    rows++;
    yield line as z.output<T>;
  }
  throw new ExportFault("the export is incomplete: its last line is missing");
}

function lineOf(text: string, schema: z.ZodType, table: string) {
  try {
    return schema.parse(JSON.parse(text)) as { type: string; rows: number; code: string; detail: string };
  } catch {
    throw new ExportFault(`not a line of export?table=${table}: ${text.slice(0, 200)}`);
  }
}

/** The rows of one group stand together. */
async function* groupsOf(rows: AsyncIterable<SignalLine>): AsyncGenerator<[id: string, Columns]> {
  let open: string | null = null;
  let columns: Columns = new Map();
  for await (const { group_id, rollout_index, signal, value } of rows) {
    if (open !== null && open !== group_id) {
      yield [open, columns];
      columns = new Map();
    }
    open = group_id;
    const column = columns.get(signal) ?? [];
    while (column.length < rollout_index) column.push(null);
    column[rollout_index] = value;
    columns.set(signal, column);
  }
  if (open !== null) yield [open, columns];
}
