// Tests the way to the database without one: time limits, faults made safe to show, endpoints kept
// apart.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { ApiError } from "../../src/core/faults/errors.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase, reading, writing } from "../../src/run-log/db/connection.ts";
import { StoreWriteError } from "../../src/run-log/db/store-write-error.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function endpoint(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sql`;
}

const SECRET = "postgres://user:hunter2@db.example/prod";
const fault = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

it("gives each call a time limit of its own, also when the reply stops half way", async () => {
  const half = await endpoint((_, response) => void response.writeHead(200).write('{"rows":['));
  const db = openDatabase({ databaseUrl: SECRET, fetchEndpoint: half }, 40);
  for (let call = 0; call < 3; call++) {
    expect(await fault(writing(() => db.execute(sql`SELECT 1`)))).toMatchObject({
      name: "StoreWriteError",
      sqlstate: null,
    });
  }
});

it("shows nothing of the statement, its values, the database's words or the connection", async () => {
  const body = {
    message: 'duplicate "hunter2" in INSERT',
    code: "23505",
    detail: "Key (x)=(hunter2)",
    severity: "ERROR",
  };
  const refusing = await endpoint((_, response) => void response.writeHead(400).end(JSON.stringify(body)));
  const broken = await endpoint((_, response) => void response.writeHead(500).end("hunter2"));
  const gone = "http://127.0.0.1:1/sql";
  for (const [fetchEndpoint, sqlstate] of [
    [refusing, "23505"],
    [broken, null],
    [gone, null],
  ] as const) {
    const db = openDatabase({ databaseUrl: SECRET, fetchEndpoint }, 2_000);
    const one = () => db.execute(sql`SELECT ${"hunter2"}`);
    const read = (await fault(reading(one))) as ApiError;
    expect(read).toBeInstanceOf(ApiError);
    expect(read.code).toBe("store_unavailable");
    for (const work of [one, () => db.batch([one()])]) {
      const written = (await fault(writing<unknown>(work))) as StoreWriteError;
      expect(written).toBeInstanceOf(StoreWriteError);
      expect(written.sqlstate).toBe(sqlstate);
      for (const error of [read, written]) {
        expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toMatch(/hunter2|SELECT|INSERT/);
      }
    }
  }
});

it("lets clients of different endpoints live side by side and sends the URL's password to none of them", async () => {
  const seen: string[] = [];
  const answer =
    (name: string): RequestListener =>
    (request, response) => {
      seen.push(`${name} ${request.headers["neon-connection-string"]}`);
      response.end(
        JSON.stringify({ command: "SELECT", rowCount: 1, fields: [{ name: "n", dataTypeID: 25 }], rows: [[name]] }),
      );
    };
  const config = async (name: string) => ({
    databaseUrl: SECRET,
    fetchEndpoint: await endpoint(answer(name)),
    clock: systemClock,
  });
  const [a, b] = [openDatabase(await config("a"), 2_000), openDatabase(await config("b"), 2_000)];
  const names = await Promise.all([a, b, a].map(async (db) => (await db.execute(sql`SELECT 1`)).rows[0]?.n));
  expect(names).toEqual(["a", "b", "a"]);
  expect(seen.join()).not.toContain("hunter2");
});

it("accepts only a loopback endpoint", () => {
  for (const fetchEndpoint of ["http://db.example:80/sql", "https://127.0.0.1:9/sql", "http://127.0.0.1:9/other"]) {
    expect(() => openDatabase({ databaseUrl: SECRET, fetchEndpoint }, 1)).toThrow(TypeError);
  }
});

it("calls a database that is gone, or was never migrated, not ready", async () => {
  const gone = createNeonRunLog({ databaseUrl: SECRET, fetchEndpoint: "http://127.0.0.1:1/sql", clock: systemClock });
  expect(await gone.check()).toMatchObject({ ok: false, detail: "unreachable" });
  const body = JSON.stringify({ message: "relation does not exist", code: "42P01", severity: "ERROR" });
  const empty = await endpoint((_, response) => void response.writeHead(400).end(body));
  const unmigrated = createNeonRunLog({ databaseUrl: SECRET, fetchEndpoint: empty, clock: systemClock });
  expect(await unmigrated.check()).toMatchObject({ detail: "not migrated" });
  await expect(unmigrated.runs({ owner: null, limit: 1, cursor: null })).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("npm run migrate"),
  });
});

it("says that the database knows no such user or name, and not which", async () => {
  const body = JSON.stringify({ message: 'password authentication failed for user "neo"', code: "28P01" });
  const closed = await endpoint((_, response) => void response.writeHead(400).end(body));
  const runLog = createNeonRunLog({ databaseUrl: SECRET, fetchEndpoint: closed, clock: systemClock });
  await expect(runLog.runs({ owner: null, limit: 1, cursor: null })).rejects.toMatchObject({
    message: "The run log's database rejects the user, password or database name in DATABASE_URL.",
  });
});
