// The embedded database: PGlite on a directory or in memory, for one process at a time. Values are Postgres
// text, and deleted rows leave no bytes in the files.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type Results, type Transaction } from "@electric-sql/pglite";
import { lockDirectory } from "./data-dir-lock.ts";
import { copyCluster, readSnapshot, writeSnapshot } from "./pglite-snapshot.ts";
import type { SqlBackend, Statement, StatementResult } from "./sql-backend.ts";

const identity = <T>(value: T): T => value;

/**
 * Opens the embedded database. `dataDir` null: in memory, lost at close. Otherwise its files are in
 * `dataDir/pg` and survive a restart and a kill. Rejects with DataDirInUse if another process uses them. A
 * first start runs initdb (about 5 s), or takes the snapshot that an earlier first start left in
 * node_modules/.cache.
 */
export async function createPglite(dataDir: string | null): Promise<SqlBackend> {
  if (dataDir === null) return backend(await firstStart(undefined), () => {});
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDirectory(dataDir);
  try {
    return backend(await openFiles(dataDir), unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openFiles(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, "pg");
  const complete = join(dataDir, "pg.complete");
  if (existsSync(complete)) return PGlite.create({ dataDir: files });
  // A first start that was killed leaves files that Postgres cannot open, and no data.
  rmSync(files, { recursive: true, force: true });
  const pg = await firstStart(files);
  writeFileSync(complete, "initdb finished; without this file the next start deletes pg/ and runs initdb again\n");
  return pg;
}

async function firstStart(dataDir: string | undefined): Promise<PGlite> {
  const where = dataDir === undefined ? {} : { dataDir };
  if (dataDir !== undefined && copyCluster(dataDir)) return PGlite.create({ dataDir });
  const snapshot = await readSnapshot();
  if (snapshot !== null) return PGlite.create({ ...where, loadDataDir: snapshot });
  const pg = await PGlite.create(where);
  await writeSnapshot(pg);
  return pg;
}

function result({ command, rowCount, fields, rows }: Results): StatementResult {
  return { command: command ?? "", rowCount: rowCount ?? 0, fields, rows: rows as unknown as (string | null)[][] };
}

function backend(pg: PGlite, unlock: () => void): SqlBackend {
  // Set after creation, because PGlite copies the `parsers` option and adds parsers for arrays at start-up.
  for (const oid of Object.keys(pg.parsers)) pg.parsers[Number(oid)] = identity;
  for (const oid of Object.keys(pg.serializers)) pg.serializers[Number(oid)] = identity;
  const deletions = cleaned(pg);
  const run = async (on: PGlite | Transaction, { query, params }: Statement) => {
    const ran = result(await on.query(query, [...params], { rowMode: "array" }));
    if (ran.command === "DELETE" && ran.rowCount > 0) deletions.noted(query);
    return ran;
  };
  return {
    query: (statement) => run(pg, statement),
    transaction: (work) =>
      pg.transaction((tx) =>
        work({ query: (statement) => run(tx, statement), script: async (text) => void (await tx.exec(text)) }),
      ),
    async close() {
      await deletions.clean();
      await pg.close();
      unlock();
    },
  };
}

/** Delay after the last of several deletions. */
const CLEAN_AFTER_MS = 2_000;

/**
 * Does the work of a server's autovacuum and more: rewrites tables after deletions, and the write-ahead log,
 * whose files contain the deleted rows.
 */
function cleaned(pg: PGlite) {
  const tables = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  async function clean(): Promise<void> {
    clearTimeout(timer);
    const some = [...tables];
    if (some.length === 0) return;
    tables.clear();
    for (const table of some) await pg.exec(`VACUUM FULL "${table}"`);
    await pg.exec("SET wal_recycle = off");
    for (const then of ["CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT"]) await pg.exec(then);
  }
  return {
    clean,
    noted(query: string): void {
      const [, table] = /^\s*delete from "?(\w+)"? where/i.exec(query) ?? [];
      if (table === undefined) return;
      tables.add(table);
      clearTimeout(timer);
      timer = setTimeout(() => void clean().catch(() => undefined), CLEAN_AFTER_MS).unref();
    },
  };
}
