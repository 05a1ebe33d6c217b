// Tests the embedded database's files: what survives, who may use them, and that migrations are
// applied once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataDirInUse, lockDirectory } from "../../scripts/stack/data-dir-lock.ts";
import { migrate, pendingMigrations } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "kritai-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const rows = async (backend: SqlBackend, query: string) => (await backend.query({ query, params: [] })).rows;

describe("the embedded database", () => {
  it("keeps its rows over a restart, and drops an initdb that was cut half way", async () => {
    const data = join(dir, "data");
    mkdirSync(join(data, "pg"), { recursive: true });
    writeFileSync(join(data, "pg", "PG_VERSION"), "18\n");
    const first = await createPglite(data);
    await migrate(first);
    await first.query({ query: "INSERT INTO named_specs VALUES ('kept', '{}', now())", params: [] });
    await first.close();
    const second = await createPglite(data);
    expect(await migrate(second)).toEqual([]);
    expect(await rows(second, "SELECT name FROM named_specs")).toEqual([["kept"]]);
    await second.close();
  });

  it("is refused to a second user while the first has it, naming the process", async () => {
    const unlock = lockDirectory(dir);
    const fault = await createPglite(dir).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(DataDirInUse);
    expect((fault as Error).message).toContain(`in use by process ${process.pid}`);
    expect(readFileSync(join(dir, "lock"), "utf8")).toBe(`${process.pid}\n`);
    unlock();
    lockDirectory(dir)();
  });

  it("is taken over from a process that was killed, also one of the same number", async () => {
    const lock = new URL("../../scripts/stack/data-dir-lock.ts", import.meta.url).href;
    const hold = `const { lockDirectory } = await import(${JSON.stringify(lock)});
      lockDirectory(${JSON.stringify(dir)});
      console.log("held");
      setInterval(() => {}, 1 << 30);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", hold], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(holder.stdout, "data");
      expect(() => lockDirectory(dir)).toThrow(`in use by process ${holder.pid}`);
    } finally {
      holder.kill("SIGKILL");
      await once(holder, "exit");
    }
    // A container's first process finds this from the one before it.
    writeFileSync(join(dir, "lock"), `${process.pid}\n`);
    lockDirectory(dir)();
  });
});

describe("migrations", () => {
  it("are applied in order and once, and none of a run when one fails or has changed", async () => {
    const backend = await createPglite(null);
    writeFileSync(join(dir, "0000_a.sql"), "CREATE TABLE a (n int);\nINSERT INTO a VALUES (1);");
    expect(await pendingMigrations(backend, dir)).toEqual(["0000_a.sql"]);
    expect(await migrate(backend, dir)).toEqual(["0000_a.sql"]);
    expect(await pendingMigrations(backend, dir)).toEqual([]);
    writeFileSync(join(dir, "0001_b.sql"), "UPDATE a SET n = n + 1;");
    const both = await Promise.all([migrate(backend, dir), migrate(backend, dir)]);
    expect(both.flat()).toEqual(["0001_b.sql"]);
    writeFileSync(join(dir, "0002_c.sql"), "UPDATE a SET n = 100;");
    writeFileSync(join(dir, "0003_d.sql"), "SELECT nonsense;");
    await expect(migrate(backend, dir)).rejects.toThrow(/nonsense/);
    expect(await rows(backend, "SELECT n FROM a")).toEqual([["2"]]);
    rmSync(join(dir, "0003_d.sql"));
    writeFileSync(join(dir, "0000_a.sql"), "CREATE TABLE a (n bigint);");
    await expect(migrate(backend, dir)).rejects.toThrow(/0000_a.sql was already applied and has changed/);
    expect(await rows(backend, "SELECT n FROM a")).toEqual([["2"]]);
    await backend.close();
  });
});
