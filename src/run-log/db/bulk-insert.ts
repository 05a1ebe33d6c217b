// Inserts many rows in one statement: each column is a Postgres array literal, expanded by unnest.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

/**
 * A row keyed by column: JSON values, with times as ISO strings. All rows of a table have the same columns.
 */
export type InsertRow = Readonly<Record<string, unknown>>;

/**
 * Replaces U+0000 and lone surrogates, which Postgres cannot store, by U+FFFD. Hashes are computed from the
 * original text.
 */
function storableText(text: string): string {
  return text.includes("\0") ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text.toWellFormed();
}

const NEEDS_ESCAPE = /["\\]/;

function quoted(text: string): string {
  const clean = storableText(text);
  return `"${NEEDS_ESCAPE.test(clean) ? clean.replaceAll(/["\\]/g, "\\$&") : clean}"`;
}

function element(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (typeof value === "string") return quoted(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return quoted(arrayLiteral(value as readonly unknown[]));
}

/**
 * The Postgres array literal of `values`: null becomes NULL, and a nested array becomes a quoted array
 * literal.
 */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join(",")}}`;
}

/**
 * Builds one INSERT for all `rows` that skips rows already stored.
 * @param shared columns with the same value in every row; sent once
 * @param rows every row must have the keys of the first
 * @param where condition that may refer to a row as `u`
 */
export function bulkInsert(table: PgTable, shared: InsertRow, rows: readonly InsertRow[], where: SQL = sql``): SQL {
  const columns = getTableColumns(table) as Record<string, PgColumn>;
  const keys = Object.keys(rows[0] as object);
  const typeOf = (key: string) => (columns[key] as PgColumn).getSQLType();
  const nameOf = (key: string) => sql.identifier((columns[key] as PgColumn).name);
  const list = (parts: SQL[]) => sql.join(parts, sql`, `);
  const arrays = keys.map((key) => {
    const values = rows.map((row) => row[key]);
    const literal = arrayLiteral(typeOf(key) === "json" ? values.map((value) => JSON.stringify(value)) : values);
    // Array columns are sent as text, because unnest would flatten a two-dimensional array.
    return sql`${literal}::${sql.raw(typeOf(key).endsWith("[]") ? "text" : typeOf(key))}[]`;
  });
  const taken = keys.map((key) => sql`u.${nameOf(key)}::${sql.raw(typeOf(key))}`);
  const given = Object.entries(shared).map(([key, value]) => sql`${scalar(value)}::${sql.raw(typeOf(key))}`);
  const names = [...keys, ...Object.keys(shared)].map((key) => sql`${nameOf(key)}`);
  const aliases = list(keys.map((key) => sql`${nameOf(key)}`));
  return sql`INSERT INTO ${table} (${list(names)}) SELECT ${list([...taken, ...given])} FROM unnest(${list(arrays)}) AS u(${aliases}) ${where} ON CONFLICT DO NOTHING`;
}

function scalar(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "string" ? storableText(value) : value;
}
