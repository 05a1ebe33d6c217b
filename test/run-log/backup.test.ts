// Backups of the log, made and restored: the embedded database's folder copied, and a Postgres
// server's rows by pg_dump and pg_restore where DATABASE_URL names one. Everything that can be read
// is read the same from both.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { EXPORT_TABLES } from "../../src/core/contract/export-tables.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { RunLog } from "../../src/ports/run-log.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { createNeonSpecStore } from "../../src/run-log/specs.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";
import { ALL_STEPS, all, named, sample } from "../port-contracts/run-log/store.ts";
import { openSchema } from "./postgres-schema.ts";

const RUN = { owner: "trainer", run_id: "kept" };

async function overEndpoint<T>(
  backend: SqlBackend,
  use: (log: RunLog, specs: ReturnType<typeof createNeonSpecStore>) => T,
) {
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
  try {
    return await use(createNeonRunLog(config), createNeonSpecStore(config));
  } finally {
    await endpoint.close();
    await backend.close();
  }
}

/** Writes some of everything, and tells all that can be read of it. */
async function written(backend: SqlBackend) {
  await migrate(backend);
  return overEndpoint(backend, async (log, specs) => {
    for (const step of [0, 1, 2]) {
      await log.append({ ...sizedEntry({ run_id: RUN.run_id, step, groups: 3, size: 4 }), key_name: RUN.owner });
    }
    await log.append(named(sample, { run_id: RUN.run_id }));
    await log.describe(RUN, { lr: 1e-6, notes: "as it was" });
    await log.markDeleted({ ...RUN, run_id: "deleted" }, new Date());
    await specs.save("mine", { log_texts: true } as never);
    return read(log, specs);
  });
}

async function read(log: RunLog, specs: ReturnType<typeof createNeonSpecStore>) {
  const exported = await Promise.all(EXPORT_TABLES.map((table) => all(log.exportRows(RUN, table))));
  return { run: await log.run(RUN), steps: await log.steps(RUN, ALL_STEPS), exported, spec: await specs.get("mine") };
}

/** A restored log is read as it was, goes on where it stood, and needs no migration. */
async function expectRestored(backend: SqlBackend, before: Awaited<ReturnType<typeof written>>) {
  const [groups, verdicts] = before.exported;
  expect([groups?.length, (verdicts?.length ?? 0) > 0]).toEqual([9 + sample.groups.length, true]);
  expect(await migrate(backend)).toEqual([]);
  await overEndpoint(backend, async (log, specs) => {
    expect(await read(log, specs)).toEqual(before);
    await log.append({ ...sizedEntry({ run_id: RUN.run_id, step: 9, groups: 1, size: 2 }), key_name: RUN.owner });
    expect(await log.run(RUN)).toMatchObject({ requests: 5 });
  });
}

it("restores the embedded database from a copy of its folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kritai-backup-"));
  try {
    const [data, copy] = [join(folder, "data"), join(folder, "copy")];
    const before = await written(await createPglite(data));
    cpSync(data, copy, { recursive: true });
    rmSync(data, { recursive: true });
    await expectRestored(await createPglite(copy), before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const { DATABASE_URL } = process.env;
const hasTools = ["pg_dump", "pg_restore"].every((tool) => spawnSync(tool, ["--version"]).status === 0);

it.runIf(DATABASE_URL !== undefined && hasTools)("restores a Postgres from what pg_dump wrote", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kritai-backup-"));
  const url = DATABASE_URL as string;
  const schema = await openSchema(url);
  const name = new URL(schema.url).searchParams.get("options")?.split("=")[1] as string;
  try {
    const before = await written(createPostgres(schema.url));
    const file = join(folder, "kritai.dump");
    execFileSync("pg_dump", ["--format=custom", `--schema=${name}`, `--file=${file}`, url]);
    const admin = createPostgres(url);
    await admin.query({ query: `DROP SCHEMA ${name} CASCADE`, params: [] });
    await admin.close();
    execFileSync("pg_restore", ["--no-owner", `--dbname=${url}`, file]);
    await expectRestored(createPostgres(schema.url), before);
  } finally {
    await schema.drop();
    rmSync(folder, { recursive: true });
  }
});
