// Guarantees that a key finds nothing of another's and moves nothing of it: a second key walks every route of
// the app, over a real database.
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { Scope } from "../../src/api/door/auth.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { createNeonSpecStore } from "../../src/run-log/specs.ts";
import { createDeadLetters } from "../../src/run-log/write/dead-letters.ts";
import { fenced, setUp } from "../api/routes/harness.ts";
import { openapi } from "../harness/openapi.ts";
import { openSchema } from "../run-log/postgres-schema.ts";
import { fakeQueue } from "../run-log/sent.ts";

const RUN = "run-of-the-first";
const MARK = "text-of-the-first";
const SCOPES: Record<string, readonly Scope[]> = {
  first: ["score", "logs"],
  second: ["score", "logs"],
  auditor: ["logs:all"],
  root: ["logs", "admin"],
};
const keys = Object.entries(SCOPES).map(([name, scopes]) => {
  return { name, scopes, digest: new Uint8Array(createHash("sha256").update(`key-of-${name}`).digest()) };
});

function letters() {
  const db = new DatabaseSync(":memory:");
  const exec = (query: string, ...values: (string | number)[]) => {
    if (query.includes("CREATE")) db.exec(query);
    const rows = query.includes("CREATE") ? [] : db.prepare(query).all(...values);
    return { toArray: () => rows };
  };
  return createDeadLetters({ databaseSize: 0, exec }, fakeQueue(), { ...systemClock, now: () => 1_000 });
}

/** The app over a database, its keys' calls, and the ids of what the first key wrote. */
async function world(backend: SqlBackend) {
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
  const deadLetters = letters();
  const parts = { runLog: createNeonRunLog(config), specs: createNeonSpecStore(config), deadLetters, keys };
  const { app } = setUp(parts);
  const as = async (name: string, path: string, init: RequestInit = {}, body?: unknown) => {
    const headers = { "content-type": "application/json", ...init.headers, authorization: `Bearer key-of-${name}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return app.request(`http://localhost${path}`, { ...init, headers, ...sent });
  };
  return { app, as, deadLetters, close: () => endpoint.close() };
}
type World = Awaited<ReturnType<typeof world>>;

const groups = [{ prompt: MARK, rollouts: [MARK, "0"].map((code) => ({ text: fenced(code) })) }];
const body = { run_id: RUN, step: 3, spec: { log_texts: true }, groups };
const POST = { method: "POST" };

/**
 * The first key's data: requests of both kinds with texts, a kept reply, a batch, a dead letter, a group that
 * it names.
 */
async function write({ as, deadLetters }: World) {
  const kept = { ...POST, headers: { "idempotency-key": "shared" } };
  const reply = await (await as("first", "/v1/rewards", kept, body)).json();
  const items = [{ text: "\\boxed{A}", candidates: 2, correct: 0 }];
  await as("first", "/v1/verdicts", POST, { run_id: RUN, step: 4, formulation: "pair_em", items });
  const later = { ...POST, headers: { prefer: "respond-async" } };
  const batch = await (await as("first", "/v1/rewards", later, body)).json();
  await as("first", `/v1/batches/${(batch as { batch_id: string }).batch_id}?wait=10`).then((r) => r.text());
  await deadLetters.store([{ id: "m", owner: "first", reason: "reason-of-the-first", attempts: 1, body: MARK }]);
  const members = { prompt: MARK, rollouts: [{ text: MARK }] };
  const { request_id: request } = reply as { request_id: string };
  await as("first", `/v1/groups/${request}.0/rollouts`, POST, members);
  return { request, batch: (batch as { batch_id: string }).batch_id };
}
type Ids = Awaited<ReturnType<typeof write>> & { run: string };

const MADE_UP: Ids = {
  run: "run-of-no-one-yet",
  request: "01KAHG5J00AAAAAAAAAAAAAAAA",
  batch: "01KAHG5J00BBBBBBBBBBBBBBBB",
};

/**
 * A route's path with the ids in it. A new parameter must be given a meaning here before its route
 * can be walked.
 */
function pathOf(pattern: string, ids: Ids): string {
  const meant: Record<string, string> = {
    run_id: ids.run,
    request_id: ids.request,
    name: "default",
    rollout_id: "r1",
    step: "3",
    deployment: "default",
    project: "p",
    location: "global",
    config: "default_ranking_config:rank",
    folder: "guides",
  };
  meant.page = pattern.includes(":folder") ? "training" : "routes";
  meant.id = pattern.startsWith("/v1/batches/") ? ids.batch : `${ids.request}.0`;
  return pattern.replace(/:(\w+)/g, (_, name: string) => {
    if (meant[name] === undefined) throw new Error(`what does ${name} of ${pattern} stand for?`);
    return meant[name];
  });
}

interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { example?: object }> };
}
const documented = (method: string, pattern: string): Operation | undefined =>
  (openapi.paths as Record<string, Record<string, Operation>>)[pattern.replace(/:(\w+)/g, "{$1}")]?.[
    method.toLowerCase()
  ];

/** The queries to walk a route with: its required ones, then each that names whose or which. */
function queriesOf(method: string, pattern: string, ids: Ids): string[] {
  const names = (documented(method, pattern)?.parameters ?? []).flatMap((p) => (p.in === "query" ? p.name : []));
  const gathers = names.includes("group_window_ms") ? "&group_window_ms=0" : "";
  const tables = names.includes("table") ? ["table=groups", "table=verdicts", "table=texts"] : [gathers];
  const more = [names.includes("owner") && "owner=first", names.includes("run_id") && `run_id=${ids.run}&step=3`];
  return tables.flatMap((table) =>
    ["", ...more.filter((query) => query !== false)].map((query) => `?${table}&${query}`),
  );
}

/**
 * A reply as it is compared: without what is the request's own, and with its ids by their meaning.
 */
async function told(response: Response, ids: Ids): Promise<string> {
  const text = await response.text();
  const own = text.replace(/"request_id":"[0-9A-Z]{26}"/g, "").replace(/"latency_ms":\d+/g, "");
  const named = Object.entries(ids).reduce((out, [name, id]) => out.replaceAll(id, `<${name}>`), own);
  return `${response.status} ${named}`;
}

const databases: [string, () => Promise<{ backend: SqlBackend; drop(): Promise<void> }>][] = [
  ["PGlite", async () => ({ backend: await createPglite(null), drop: async () => undefined })],
];
const { DATABASE_URL } = process.env;
if (DATABASE_URL !== undefined) {
  databases.push([
    "Postgres",
    async () => {
      const schema = await openSchema(DATABASE_URL);
      return { backend: createPostgres(schema.url), drop: schema.drop };
    },
  ]);
}

describe.each(databases)("over %s, a second key", (_name, open) => {
  let database: Awaited<ReturnType<typeof open>>;
  let all: World;
  let ids: Ids;
  let routes: { method: string; path: string }[];
  let emptyBefore: string[];
  const reading = () => routes.filter(({ method }) => method === "GET");
  const alone = () => reading().filter(({ path }) => !path.includes(":") && path !== "/metrics");
  const seen = () => Promise.all(alone().map(async ({ path }) => told(await all.as("second", path), ids ?? MADE_UP)));

  beforeAll(async () => {
    database = await open();
    all = await world(database.backend);
    routes = all.app.routes.filter(({ path }) => path !== "/*");
    emptyBefore = await seen();
    ids = { ...(await write(all)), run: RUN };
  });
  afterAll(async () => {
    await all.close();
    await database.backend.close();
    await database.drop();
  });

  /** All that the first key sees of its data, by every route that reads. */
  const ownView = async (name = "first") => {
    const views: Record<string, string> = {};
    for (const { path } of reading().filter(({ path }) => path.startsWith("/v1/"))) {
      for (const query of queriesOf("GET", path, ids)) {
        const response = await all.as(name, pathOf(path, ids) + query);
        views[path + query] = `${response.status} ${await response.text()}`.replace(
          /"request_id":"[0-9A-Z]{26}","retry/g,
          "",
        );
      }
    }
    return views;
  };

  test("reads of what the first wrote exactly what it reads of what nobody wrote", async () => {
    let refused = 0;
    for (const method of ["GET", "HEAD"]) {
      for (const { path } of reading()) {
        for (const query of queriesOf("GET", path, ids)) {
          const theirs = await told(await all.as("second", pathOf(path, ids) + query, { method }), ids);
          const nobodys = await told(await all.as("second", pathOf(path, MADE_UP) + query, { method }), MADE_UP);
          expect(theirs, `${method} ${path}${query}`).toBe(nobodys);
          expect(theirs, path).not.toMatch(/of-the-first/);
          if (theirs.startsWith("404")) refused++;
        }
      }
    }
    // Five routes of a run (one with three tables), each with and without a name, a request, a
    // group's verdicts and texts, a batch, a preset, a model, a resource's page; by GET and HEAD.
    expect(refused).toBe(2 * (2 * (4 + 3) + 7));
  });

  test("sees no list and no count move by what the first writes", async () => {
    expect(await seen()).toEqual(emptyBefore);
    await write(all);
    expect(await seen()).toEqual(emptyBefore);
    expect((await all.as("second", "/metrics")).status).toBe(403);
  });

  test("finds what it does not see: the same routes tell the first key, and who reads all", async () => {
    for (const name of ["first", "auditor", "root"]) {
      const views = await ownView(name);
      const found = Object.entries(views).filter(
        ([path, view]) => view.startsWith("200") && view.includes("of-the-first") && path.includes("run"),
      );
      expect(found.length, name).toBeGreaterThanOrEqual(10);
    }
  });

  test("changes nothing of the first's by any route that writes, under the same names and keys", async () => {
    const before = await ownView();
    const answered: string[] = [];
    const deletesRuns = ({ method, path }: { method: string; path: string }) =>
      method === "DELETE" && path === "/v1/runs/:run_id";
    // By the test below.
    for (const { method, path } of routes.filter((route) => route.method !== "GET" && !deletesRuns(route))) {
      const example = Object.values(documented(method, path)?.requestBody?.content ?? {})[0]?.example ?? {};
      const ofRun = "groups" in example || "items" in example ? { run_id: RUN, step: 3 } : {};
      for (const query of queriesOf(method, path, ids)) {
        for (const headers of [{}, { "idempotency-key": "shared" }, { prefer: "respond-async" }]) {
          const response = await all.as(
            "second",
            pathOf(path, ids) + query,
            { method, headers: headers as Record<string, string> },
            method === "DELETE" ? undefined : { ...example, ...ofRun },
          );
          // A group that it names itself is shown to it under that name.
          const text = (await response.text()).replaceAll(`"group_id":"${ids.request}.0"`, "");
          expect(text, `${method} ${path}`).not.toMatch(
            new RegExp(`${ids.request}|${ids.batch}|${MARK}|reason-of-the-first`),
          );
          expect(response.headers.get("idempotent-replayed"), path).toBeNull();
          answered.push(`${response.status}`);
        }
      }
    }
    // Even the first's own body under its own Idempotency-Key is another reply.
    const again = await all.as("second", "/v1/rewards", { ...POST, headers: { "idempotency-key": "other" } }, body);
    expect(await again.text()).not.toContain(ids.request);
    expect(answered.filter((status) => status === "200").length).toBeGreaterThan(30);
    expect(await ownView()).toEqual(before);
    const { runs } = (await (await all.as("second", "/v1/runs")).json()) as {
      runs: { run_id: string; owner: string }[];
    };
    expect(runs.find(({ run_id }) => run_id === RUN)).toMatchObject({ owner: "second" });
    expect(runs.every(({ owner }) => owner === "second")).toBe(true);
  });

  test("and who reads all must say whose run, where two have one of the same id and none is its own", async () => {
    const problem = await (await all.as("auditor", `/v1/runs/${RUN}`)).json();
    expect(problem).toMatchObject({ status: 400, errors: [{ path: "owner" }] });
    expect(JSON.stringify(problem)).toMatch(/first, second/);
    for (const owner of ["first", "second"]) {
      for (const below of ["", "/steps", "/health", "/groups"]) {
        expect(await (await all.as("root", `/v1/runs/${RUN}${below}?owner=${owner}`)).json()).toMatchObject({ owner });
      }
    }
    const { runs } = (await (await all.as("auditor", "/v1/runs?owner=first")).json()) as { runs: { owner: string }[] };
    expect(new Set(runs.map(({ owner }) => owner))).toEqual(new Set(["first"]));
    expect((await all.as("auditor", `/v1/runs/${RUN}?owner=`)).status).toBe(404);
    expect((await all.as("second", "/v1/runs?owner=first")).status).toBe(403);
    expect((await all.as("second", "/v1/runs?owner=no-such-key")).status).toBe(403);
  });

  test("deletes its own run of the same id, and nothing of the first's", async () => {
    const before = await ownView();
    const refused = await all.as("second", `/v1/runs/${RUN}?owner=first`, { method: "DELETE" });
    expect(refused.status).toBe(403);
    const gone = (await (await all.as("second", `/v1/runs/${RUN}`, { method: "DELETE" })).json()) as {
      deleted: Record<string, number>;
    };
    expect(gone.deleted.requests).toBeGreaterThan(0);
    expect((await all.as("second", `/v1/runs/${RUN}`)).status).toBe(404);
    expect(await ownView()).toEqual(before);
  });
});
