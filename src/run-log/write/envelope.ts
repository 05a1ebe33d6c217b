// Envelopes of the run log: each holds some of one request's rows and fits into a queue message. Encodes rows
// into envelopes and decodes them.

import * as z from "zod";
import { LIMITS } from "../../core/faults/limits.ts";
import type { InsertRow } from "../db/bulk-insert.ts";

/**
 * Tables whose rows are sent in envelopes. The request's own row is in the head, because it may be written
 * only after all others.
 */
export const ROW_TABLES = [
  "groups",
  "rollouts",
  "verdicts",
  "texts",
  "signals",
  "turns",
  "verdict_texts",
  "audit_verdicts",
] as const;
export type RowTable = (typeof ROW_TABLES)[number];

type RowsByTable = Partial<Record<RowTable, readonly InsertRow[]>>;

/** The data of a request in addition to the rows of ROW_TABLES. */
interface EnvelopeHead {
  /** The request's own row. */
  row: InsertRow;
  /** Canonical JSON of the spec. */
  spec: string;
  /** Amounts that the request adds to its run's totals. */
  totals: Readonly<Record<string, number>>;
}

/** All log data of one request. */
export interface RequestRows {
  request_id: string;
  /** Values shared by all rows of the request. */
  shared: InsertRow & { spec_hash: string };
  rows: RowsByTable;
  head: EnvelopeHead;
}

/** Number of the request's rows by table. */
type RowCounts = Readonly<Record<RowTable, number>>;

/** Some of one request's rows. The last envelope of a request also carries the head. */
export interface Envelope extends Omit<RequestRows, "head"> {
  /** `counts` is null if this envelope holds the complete request. */
  head: (EnvelopeHead & { counts: RowCounts | null }) | null;
}

const count = z.int().min(0);
const TableSchema = z
  .object({ keys: z.array(z.string().max(64)).min(1).max(64), rows: z.array(z.array(z.unknown())) })
  .refine(({ keys, rows }) => rows.every((row) => row.length === keys.length), "a row must have one value per key")
  .transform(({ keys, rows }) => rows.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]]))));
const EnvelopeSchema = z.object({
  v: z.literal(1),
  request_id: z.string().min(1).max(64),
  shared: z.looseObject({ spec_hash: z.string() }),
  rows: z.partialRecord(z.enum(ROW_TABLES), TableSchema),
  head: z
    .object({
      row: z.looseObject({ request_id: z.string() }),
      spec: z.string(),
      totals: z.record(z.string(), z.number()),
      counts: z
        .object({
          groups: count,
          rollouts: count,
          verdicts: count,
          texts: count,
          signals: count.default(0),
          turns: count.default(0),
          verdict_texts: count.default(0),
          audit_verdicts: count.default(0),
        })
        .nullable(),
    })
    .nullable(),
});

/** Decodes an envelope. Throws ZodError or SyntaxError for a message that `sealed` did not write. */
export function opened(text: string): Envelope {
  return EnvelopeSchema.parse(JSON.parse(text));
}

const encoder = new TextEncoder();

/** Bytes of `text` in UTF-8, the unit of the queue's limits. */
export const utf8Bytes = (text: string): number => encoder.encode(text).length;

interface RowChunk {
  /** Rows that must stay in one envelope, each as a JSON array of its values. */
  rows: readonly { table: RowTable; values: string }[];
  bytes: number;
}

/**
 * Encodes a request into envelopes of at most `bytes_max` UTF-8 bytes each, in sending order: first texts,
 * verdicts, signals and turn hashes, then each group together with its rollouts, and last the head, so that
 * most other rows are stored by the time the head arrives. Returns null if the head, or rows that must stay
 * together, exceed the limit.
 */
export function sealed(request: RequestRows, bytes_max: number = LIMITS.log_envelope_bytes): string[] | null {
  const keys = Object.fromEntries(ROW_TABLES.map((table) => [table, Object.keys(request.rows[table]?.[0] ?? {})]));
  const counts = Object.fromEntries(ROW_TABLES.map((table) => [table, request.rows[table]?.length ?? 0]));
  const headBytes = utf8Bytes(JSON.stringify({ ...request.head, counts }));
  // The overhead of an envelope is the size of one that has the columns of all tables but no rows and no
  // head.
  const room =
    bytes_max - utf8Bytes(envelopeText(request, keys, new Map(ROW_TABLES.map((table) => [table, []])), null));
  const parts: RowChunk[][] = [[]];
  let left = room;
  const open = (bytes: number) => {
    if (bytes > left) {
      parts.push([]);
      left = room;
    }
    left -= bytes;
  };
  for (const unit of unitsOf(request.rows, keys)) {
    if (unit.bytes > room) return null;
    open(unit.bytes);
    parts.at(-1)?.push(unit);
  }
  if (headBytes > room) return null;
  open(headBytes);
  return parts.map((units, i) => {
    const byTable = Map.groupBy(
      units.flatMap((unit) => unit.rows),
      (row) => row.table,
    );
    const values = new Map([...byTable].map(([table, rows]) => [table, rows.map((row) => row.values)]));
    const last = i === parts.length - 1;
    return envelopeText(request, keys, values, last ? { ...request.head, counts: i === 0 ? null : counts } : null);
  });
}

function unitsOf(rows: RowsByTable, keys: Record<string, string[]>): RowChunk[] {
  const packed = (table: RowTable, row: InsertRow) => {
    const values = JSON.stringify((keys[table] as string[]).map((key) => row[key]));
    return { table, values, bytes: utf8Bytes(values) + 1 };
  };
  const unit = (packedRows: ReturnType<typeof packed>[]): RowChunk => ({
    rows: packedRows,
    bytes: packedRows.reduce((sum, { bytes }) => sum + bytes, 0),
  });
  const members = Map.groupBy(rows.rollouts ?? [], (row) => row.group_index);
  return [
    ...(["texts", "verdict_texts", "verdicts", "audit_verdicts", "signals", "turns"] as const).flatMap((table) =>
      (rows[table] ?? []).map((row) => unit([packed(table, row)])),
    ),
    ...(rows.groups ?? []).map((group) => {
      const rollouts = members.get(group.group_index) ?? [];
      return unit([packed("groups", group), ...rollouts.map((row) => packed("rollouts", row))]);
    }),
  ];
}

function envelopeText(
  { request_id, shared }: RequestRows,
  keys: Record<string, string[]>,
  values: ReadonlyMap<RowTable, readonly string[]>,
  head: object | null,
): string {
  const tables = [...values].map(
    ([table, rows]) => `"${table}":{"keys":${JSON.stringify(keys[table])},"rows":[${rows.join(",")}]}`,
  );
  const frame = JSON.stringify({ v: 1, request_id, shared, head }).slice(0, -1);
  return `${frame},"rows":{${tables.join(",")}}}`;
}

/**
 * Stores envelopes in one transaction. Resolves with the ids of requests that were not written because some
 * of their rows are missing.
 */
export type EnvelopeStore = (envelopes: readonly Envelope[]) => Promise<ReadonlySet<string>>;
