// Owns fitting weights for a run's judges out of its exported signals: the file's lines, group by
// group, and what is wrong with them. Asks nobody.
import * as z from "zod";
import { type EnsembleFit, fitEnsemble } from "./fit.ts";
import { AgreementMoments } from "./moments.ts";

const LineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("row"),
    group_id: z.string(),
    rollout_index: z.int().min(0),
    signal: z.string(),
    value: z.number().nullable(),
  }),
  z.object({ type: z.literal("end"), rows: z.int() }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string() }),
]);
type Row = Extract<z.output<typeof LineSchema>, { type: "row" }>;

/** Why a file cannot be fitted, in words for the person who gave it. */
export class ExportFault extends Error {}

/** A group's values by signal, one a rollout. */
type Columns = Map<string, (number | null)[]>;

/** Fewer than two have nothing to agree with. */
const SIGNALS_MIN = 2;

/**
 * Weights for the signals `names` by the lines of `GET /v1/runs/:run_id/export?table=signals`;
 * groups whose spec did not have all of them are left out.
 * @throws ExportFault for what is no whole export, and for fewer than two names that some group has
 */
export async function fitExport(lines: AsyncIterable<string>, names: readonly string[]): Promise<EnsembleFit> {
  const wanted = [...new Set(names)];
  const moments = new AgreementMoments(wanted);
  const known = new Set<string>();
  let groups = 0;
  for await (const columns of groupsOf(rowsOf(lines))) {
    for (const name of columns.keys()) known.add(name);
    const chosen = wanted.map((name) => columns.get(name)).filter((column) => column !== undefined);
    if (chosen.length < wanted.length) continue;
    moments.add(chosen);
    groups++;
  }
  const there = `the export has ${[...known].sort().join(", ") || "none"}`;
  if (wanted.length < SIGNALS_MIN) throw new ExportFault(`--signals must name ${SIGNALS_MIN} or more; ${there}`);
  if (groups === 0) throw new ExportFault(`--signals: no group has all of ${wanted.join(", ")}; ${there}`);
  return fitEnsemble(moments);
}

async function* rowsOf(lines: AsyncIterable<string>): AsyncGenerator<Row> {
  let rows = 0;
  for await (const text of lines) {
    const line = lineOf(text);
    if (line.type === "error") throw new ExportFault(`the export was cut off: ${line.code}, ${line.detail}`);
    if (line.type === "end" && line.rows === rows) return;
    if (line.type === "end") throw new ExportFault(`the export has ${rows} rows of ${line.rows}`);
    rows++;
    yield line;
  }
  throw new ExportFault("the export has no last line: it is not the whole run");
}

function lineOf(text: string) {
  try {
    return LineSchema.parse(JSON.parse(text));
  } catch {
    throw new ExportFault(`a line is none of export?table=signals: ${text.slice(0, 200)}`);
  }
}

/** The rows of one group stand together. */
async function* groupsOf(rows: AsyncIterable<Row>): AsyncGenerator<Columns> {
  let open: string | null = null;
  let columns: Columns = new Map();
  for await (const { group_id, rollout_index, signal, value } of rows) {
    if (open !== null && open !== group_id) {
      yield columns;
      columns = new Map();
    }
    open = group_id;
    const column = columns.get(signal) ?? [];
    while (column.length < rollout_index) column.push(null);
    column[rollout_index] = value;
    columns.set(signal, column);
  }
  if (open !== null) yield columns;
}
