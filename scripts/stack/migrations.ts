// Applies migrations/*.sql in order, each exactly once, on any backend.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlBackend, SqlSession } from "./sql-backend.ts";

const FOLDER = new URL("../../migrations/", import.meta.url).pathname;

/** The advisory lock's number, which no other code uses: "krit" in ASCII. */
const LOCK = 0x6b726974;

const TABLE = `CREATE TABLE IF NOT EXISTS kritai_migrations (
  name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;

const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();

/** Names of all migrations, in order. */
export const migrationFiles = (): string[] => filesIn(FOLDER);

/** A digest of all migration files, in order. */
export function migrationsDigest(): string {
  const digest = createHash("sha256");
  for (const name of filesIn(FOLDER)) digest.update(`${name}\0`).update(readFileSync(join(FOLDER, name)));
  return digest.digest("hex");
}

/** Names of migrations that are not applied yet, in order. Changes nothing. */
export async function pendingMigrations(backend: SqlBackend, folder = FOLDER): Promise<string[]> {
  const { rows: known } = await backend.query({ query: "SELECT to_regclass('kritai_migrations')", params: [] });
  if ((known[0] as [string | null])[0] === null) return filesIn(folder);
  const { rows } = await backend.query({ query: "SELECT name FROM kritai_migrations", params: [] });
  const applied = new Set((rows as [string][]).map(([name]) => name));
  return filesIn(folder).filter((name) => !applied.has(name));
}

/**
 * Applies all pending migrations of `folder` and returns their names. Uses one transaction under a lock, so
 * repeated and concurrent calls are safe. Rejects if an applied file has changed since.
 */
export async function migrate(backend: SqlBackend, folder = FOLDER): Promise<string[]> {
  const files = filesIn(folder);
  return backend.transaction(async (session) => {
    await session.query({ query: "SELECT pg_advisory_xact_lock($1::bigint)", params: [`${LOCK}`] });
    await session.script(TABLE);
    const { rows } = await session.query({ query: "SELECT name, sha256 FROM kritai_migrations", params: [] });
    const applied = new Map(rows as [string, string][]);
    const now: string[] = [];
    for (const name of files) if (await applyOnce(session, applied, folder, name)) now.push(name);
    return now;
  });
}

async function applyOnce(session: SqlSession, applied: Map<string, string>, folder: string, name: string) {
  const text = readFileSync(join(folder, name), "utf8");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const known = applied.get(name);
  if (known === sha256) return false;
  if (known !== undefined) {
    const cure = "a database from before 0.1.0 must be recreated (locally: delete DATA_DIR, by default .kritai)";
    throw new Error(`migration ${name} was already applied and has changed since: ${cure}`);
  }
  await session.script(text);
  await session.query({
    query: "INSERT INTO kritai_migrations (name, sha256) VALUES ($1, $2)",
    params: [name, sha256],
  });
  return true;
}
