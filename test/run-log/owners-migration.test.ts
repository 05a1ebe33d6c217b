// The migration that gives rows owners: runs get their key's name, and a run that several keys
// wrote to becomes one each, with its totals.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import type { LogEntry } from "../../src/scoring/run-log-port.ts";
import { nextRequestId, sizedEntry } from "../port-contracts/log-entries.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url).pathname;

it("keeps what is known of whose a row is, and each owner's totals", async () => {
  const before = mkdtempSync(join(tmpdir(), "kritai-owners-"));
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => rmSync(before, { recursive: true }));
  for (const name of readdirSync(MIGRATIONS))
    if (/^000[0-3]_.*\.sql$/.test(name)) cpSync(join(MIGRATIONS, name), join(before, name));
  const entry = (run_id: string, step: number, key_name: string | null): LogEntry => {
    const made = sizedEntry({ run_id, step, groups: 2, size: 3 });
    const groups = made.groups.map((group, i) => ({
      ...group,
      result: { ...group.result, status: i === 0 ? ("ok" as const) : ("partial" as const) },
    }));
    return { ...made, request_id: nextRequestId(), key_name, groups };
  };
  const logged = [
    entry("mine", 0, "a"),
    entry("local", 0, null),
    entry("both", 1, "a"),
    entry("both", 2, "b"),
    entry("both", 3, null),
  ];
  // What the new database holds of the same requests is what the old one must hold once it is
  // migrated.
  const open = async () => {
    const backend = await createPglite(null);
    const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
    cleaning.defer(() => endpoint.close().then(() => backend.close()));
    return { backend, runLog: createNeonRunLog({ databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url }) };
  };
  const [fresh, old] = [await open(), await open()];
  await migrate(fresh.backend);
  for (const one of logged) await fresh.runLog.append(one);
  await migrate(old.backend, before);
  expect(await old.runLog.check()).toMatchObject({ ok: false, detail: "not migrated" });
  for (const table of ["requests", "groups", "rollouts"]) await copied(fresh.backend, old.backend, table);
  // One row a run, as it was: its owner is not known to it.
  await old.backend.query({
    query: `INSERT INTO runs SELECT run_id, min(step), max(step), min(created_at), max(created_at), 1, 2, 6, 0.5, 3, 1, 1 FROM requests GROUP BY run_id`,
    params: [],
  });
  await migrate(old.backend);
  expect(await old.runLog.run({ run_id: "mine", owner: "a" })).toMatchObject({
    owner: "a",
    requests: 1,
    reward_mean: 0.5 / 3,
  });
  expect(await old.runLog.run({ run_id: "local", owner: "" })).toMatchObject({ owner: null });
  expect(await old.runLog.owners("both", 9)).toEqual(["", "a", "b"]);
  for (const owner of ["", "a", "b"]) {
    const { specs: _, ...totals } = (await fresh.runLog.run({ run_id: "both", owner })) ?? { specs: [] };
    expect(await old.runLog.run({ run_id: "both", owner })).toMatchObject(totals);
  }
});

/** A table's rows as JSON from the one to the other; columns that are made are left out. */
async function copied(from: Awaited<ReturnType<typeof createPglite>>, to: typeof from, table: string): Promise<void> {
  const { rows } = await from.query({ query: `SELECT (to_jsonb(t) - 'owner')::text FROM ${table} AS t`, params: [] });
  for (const [row] of rows) {
    await to.query({
      query: `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(null::${table}, $1::jsonb)`,
      params: [row as string],
    });
  }
}
