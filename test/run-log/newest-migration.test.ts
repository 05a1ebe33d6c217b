// Readiness asks for what the newest migration made: a database that lacks that one alone refuses
// every write, and must not be called ready.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url).pathname;

it("calls a database not migrated that lacks the newest migration alone", async () => {
  await using cleaning = new AsyncDisposableStack();
  const before = mkdtempSync(join(tmpdir(), "kritai-newest-"));
  cleaning.defer(() => rmSync(before, { recursive: true }));
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  for (const name of names.sort().slice(0, -1)) cpSync(join(MIGRATIONS, name), join(before, name));
  const backend = await createPglite(null);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  cleaning.defer(() => endpoint.close().then(() => backend.close()));
  const runLog = createNeonRunLog({
    databaseUrl: "postgres://unused",
    fetchEndpoint: endpoint.url,
    clock: systemClock,
  });
  await migrate(backend, before);
  expect(await runLog.check()).toMatchObject({ ok: false, detail: "not migrated" });
  await migrate(backend);
  expect(await runLog.check()).toMatchObject({ ok: true });
});
