// Tests the loopback /sql endpoint against Neon's protocol as the driver speaks it, over PGlite,
// and over Postgres where one is there.
import { request } from "node:http";
import { NeonDbError, type neon } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { SQL_BODY_BYTES_MAX, type SqlEndpoint, startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { openDatabase } from "../../src/run-log/db/connection.ts";
import { openSchema } from "../run-log/postgres-schema.ts";

interface Server {
  endpoint: SqlEndpoint;
  close(): Promise<void>;
}

async function serve(backend: SqlBackend, drop = async () => {}): Promise<Server> {
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  return {
    endpoint,
    async close() {
      await endpoint.close();
      await backend.close();
      await drop();
    },
  };
}

suite("PGlite", async () => serve(await createPglite(null)));
const databaseUrl = process.env.DATABASE_URL;
if (databaseUrl !== undefined) {
  suite("Postgres", async () => {
    const schema = await openSchema(databaseUrl);
    return serve(createPostgres(schema.url), schema.drop);
  });
}

function suite(name: string, start: () => Promise<Server>): void {
  describe(`/sql over ${name}`, () => {
    let server: Server;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.close());
    const url = () => server.endpoint.url;
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(url(), {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "Neon-Connection-String": "postgres://local", ...headers },
      });
    const query = async (text: string, params: (string | null)[] = []) => (await post({ query: text, params })).json();
    replies(query);
    batches(query, post);
    refusals(url, post, query);
    driver(url);
  });
}

type Query = (text: string, params?: (string | null)[]) => Promise<unknown>;
type Post = (body: unknown, headers?: Record<string, string>) => Promise<Response>;

function replies(query: Query): void {
  it("gives values as Postgres's own text under their type's OID, never parsed", async () => {
    const shown: [string, number, string | null][] = [
      ["true", 16, "t"],
      ["false", 16, "f"],
      ["'\\x00ff'::bytea", 17, "\\x00ff"],
      ["9007199254740993::int8", 20, "9007199254740993"],
      ["7::int2", 21, "7"],
      ["7::int4", 23, "7"],
      ["'a'::text", 25, "a"],
      [`'{"a": 1}'::json`, 114, '{"a": 1}'],
      ["1.5::float4", 700, "1.5"],
      ["0.1::float8 + 0.2::float8", 701, "0.30000000000000004"],
      ["ARRAY[1,NULL]::int4[]", 1007, "{1,NULL}"],
      ["ARRAY['a','b,c']", 1009, '{a,"b,c"}'],
      ["'x'::varchar", 1043, "x"],
      ["'2026-11-20'::date", 1082, "2026-11-20"],
      ["'2026-11-20 15:00:02.269'::timestamp", 1114, "2026-11-20 15:00:02.269"],
      ["1.50::numeric", 1700, "1.50"],
      ["'00000000-0000-0000-0000-000000000001'::uuid", 2950, "00000000-0000-0000-0000-000000000001"],
      [`'{"a":1}'::jsonb`, 3802, '{"a": 1}'],
      [`ARRAY['{"a":1}'::jsonb]`, 3807, '{"{\\"a\\": 1}"}'],
      ["NULL::int4", 23, null],
    ];
    const reply = await query(`SELECT ${shown.map(([sql], i) => `${sql} AS c${i}`).join(", ")}`);
    expect(reply).toEqual({
      command: "SELECT",
      rowCount: 1,
      fields: shown.map(([, dataTypeID], i) => ({ name: `c${i}`, dataTypeID })),
      rows: [shown.map(([, , text]) => text)],
      rowAsArray: true,
    });
  });

  it("takes parameters as text for every type", async () => {
    const types = ["bool", "int8", "float8", "text[]", "jsonb", "timestamptz", "bytea", "int2[]"];
    const params = ["t", "9", "0.1", '{a,"b,c"}', '{"a":[1]}', "2026-11-20T15:00:02.269Z", "\\x01", null];
    const columns = types.map((type, i) => `$${i + 1}::${type}`).join(", ");
    const reply = (await query(`SELECT ${columns}`, params)) as { rows: string[][] };
    const zone = reply.rows[0]?.[5] as string;
    expect(new Date(zone).toISOString()).toBe("2026-11-20T15:00:02.269Z");
    expect(reply.rows).toEqual([["t", "9", "0.1", '{a,"b,c"}', '{"a": [1]}', zone, "\\x01", null]]);
  });

  it("counts rows: returned by SELECT, affected otherwise, and gives DDL an empty list of fields", async () => {
    expect(await query("CREATE TABLE counted (n int PRIMARY KEY)")).toMatchObject({
      command: "CREATE",
      rowCount: 0,
      fields: [],
      rows: [],
    });
    expect(await query("INSERT INTO counted SELECT generate_series(1, 3)")).toMatchObject({
      command: "INSERT",
      rowCount: 3,
    });
    expect(await query("SELECT n FROM counted WHERE n > 1")).toMatchObject({ command: "SELECT", rowCount: 2 });
    expect(await query("UPDATE counted SET n = n + 10 RETURNING n")).toMatchObject({ command: "UPDATE", rowCount: 3 });
    expect(await query("DELETE FROM counted WHERE n = 11")).toMatchObject({ command: "DELETE", rowCount: 1 });
  });
}

function batches(query: Query, post: Post): void {
  const queries = (...texts: string[]) => ({ queries: texts.map((text) => ({ query: text, params: [] })) });

  it("runs a batch in one transaction, in order", async () => {
    const reply = await post(
      queries(
        "CREATE TABLE batched (n int PRIMARY KEY)",
        "INSERT INTO batched VALUES (1), (2)",
        "SELECT count(*)::int FROM batched",
      ),
    );
    expect(reply.status).toBe(200);
    const { results } = (await reply.json()) as { results: { command: string; rows: string[][] }[] };
    expect(results.map((result) => result.command)).toEqual(["CREATE", "INSERT", "SELECT"]);
    expect(results[2]?.rows).toEqual([["2"]]);
  });

  it("rolls a batch back whole when one statement, or the commit, fails", async () => {
    const failed = await post(queries("INSERT INTO batched VALUES (3)", "INSERT INTO batched VALUES (1)", "SELECT 1"));
    expect(failed.status).toBe(400);
    expect(await failed.json()).toMatchObject({
      code: "23505",
      table: "batched",
      constraint: "batched_pkey",
      severity: "ERROR",
    });
    await query("CREATE TABLE late (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    expect((await post(queries("INSERT INTO late VALUES (1)", "INSERT INTO late VALUES (1)"))).status).toBe(400);
    expect(await query("SELECT count(*) FROM batched")).toMatchObject({ rows: [["2"]] });
    expect(await query("SELECT count(*) FROM late")).toMatchObject({ rows: [["0"]] });
  });

  it("obeys the batch headers", async () => {
    const level = await post(queries("SHOW transaction_isolation"), { "Neon-Batch-Isolation-Level": "Serializable" });
    expect(await level.json()).toMatchObject({ results: [{ rows: [["serializable"]] }] });
    const readOnly = await post(queries("INSERT INTO batched VALUES (9)"), { "Neon-Batch-Read-Only": "true" });
    expect(await readOnly.json()).toMatchObject({ code: "25006" });
    expect((await post(queries("SELECT 1"), { "Neon-Batch-Isolation-Level": "x'; DROP TABLE batched" })).status).toBe(
      400,
    );
  });
}

function refusals(url: () => string, post: Post, query: Query): void {
  it("keeps the SQLSTATE and the place of an error", async () => {
    expect(await query("SELECT nonsense")).toMatchObject({ code: "42703", position: "8", message: /nonsense/ });
    expect(await query("SELECT 1; SELECT 2")).toMatchObject({ code: "42601" });
  });

  it("refuses what is not the protocol, each with a status of its own", async () => {
    expect((await post("{nonsense")).status).toBe(400);
    expect((await post({ query: 1 })).status).toBe(400);
    expect((await post({ query: "SELECT $1::int", params: [1] })).status).toBe(400);
    expect((await post({ queries: "x" })).status).toBe(400);
    expect((await post({ queries: Array(1001).fill({ query: "SELECT 1" }) })).status).toBe(400);
    expect((await fetch(url(), { method: "POST", body: '{"query":"SELECT 1"}' })).status).toBe(400);
    expect((await fetch(url())).status).toBe(405);
    expect((await fetch(new URL("/other", url()), { method: "POST" })).status).toBe(404);
  });

  it("refuses a body over its cap, announced or not, and goes on", async () => {
    const announced = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { "content-length": SQL_BODY_BYTES_MAX + 1, "neon-connection-string": "x" };
      const sent = request(url(), { method: "POST", headers }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.write("{");
    });
    expect(announced).toBe(413);
    expect(await query("SELECT 1")).toMatchObject({ rows: [["1"]] });
  });

  it("listens on loopback only", async () => {
    const backend = {} as SqlBackend;
    await expect(startSqlEndpoint({ host: "0.0.0.0", port: 0, backend })).rejects.toThrow(/loopback/);
  });
}

function driver(url: () => string): void {
  it("serves the driver itself, whose errors carry the SQLSTATE", async () => {
    const { $client } = openDatabase({ databaseUrl: "postgres://unused", fetchEndpoint: url() }, 5_000) as unknown as {
      $client: ReturnType<typeof neon>;
    };
    const rows = await $client.query("SELECT $1::int AS n, $2::jsonb AS j, $3::text[] AS t", [
      7,
      { a: 1 },
      ["x", null],
    ]);
    expect(rows).toEqual([{ n: 7, j: { a: 1 }, t: ["x", null] }]);
    const fault = await $client.query("SELECT 1/0").catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(NeonDbError);
    expect(fault).toMatchObject({ code: "22012" });
    await expect($client.transaction([$client`SELECT 1`, $client`SELECT 1/0`])).rejects.toMatchObject({
      code: "22012",
    });
  });
}
