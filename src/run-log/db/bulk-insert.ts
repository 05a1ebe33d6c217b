// Many rows in one statement: values column by column as Postgres array literals, put apart again by unnest.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

/**
 * A row by column: values as JSON holds them, instants as ISO strings. All rows of one table have
 * the same columns.
 */
export type InsertRow = Readonly<Record<string, unknown>>;

/**
 * Postgres holds neither U+0000 nor a lone surrogate: both become U+FFFD. Hashes are taken of the
 * original.
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
 * The Postgres array literal of `values`: null as NULL, an array inside as the quoted text of its
 * own literal.
 */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join(",")}}`;
}

/**
 * One INSERT of all `rows` that leaves what is already there. `shared` holds the columns that are
 * equal in every row and travels once. Every row must have the keys of the first. `where` may look
 * at a row as `u`.
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
    // An array column travels as text, because unnest would take a two-dimensional array apart to
    // its numbers.
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
