// The guarantees of key scopes and of rotation: what a key may do, that every route says so, and that two
// keys of a name are one owner.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { SCOPES, type Scope } from "../../src/api/door/auth.ts";
import { type Access, routeTable } from "../../src/api/door/route.ts";
import { ROUTES } from "../../src/api/routes/table.ts";
import { routesOf } from "../../src/api/tools/shared/contract.ts";
import { CONTRACTS } from "../../src/api/tools/table.ts";
import { readEnv } from "../../src/env.ts";
import { problemOf, setUp, twoRollouts } from "../api/routes/harness.ts";
import fc from "../harness/property.ts";

const hex = (key: string) => createHash("sha256").update(key).digest("hex");
const keysOf = (entries: string) => {
  const { config, faults } = readEnv({ API_KEYS: entries });
  if (faults.length > 0) throw new Error(`not a key list: ${entries}`);
  return config.API_KEYS ?? [];
};
const withKeys = (entries: string) => setUp({ keys: keysOf(entries) });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const ALL = [...ROUTES, ...CONTRACTS.flatMap(routesOf)];
const TABLE = routeTable(ALL);
const SCOPED = ALL.flatMap(({ method, path, access }) =>
  access === "public" ? [] : [{ scope: access, method, path }],
);
const namesOf = (wanted: Access, routes: typeof ALL = ALL) =>
  routes.flatMap(({ method, path, access }) => (access === wanted ? [`${method} ${path}`] : [])).toSorted();

/** The scope that holds another. */
const HELD_BY: { readonly [scope in Scope]?: Scope } = { logs: "logs:all", "logs:all": "admin" };

/** Further scopes that it takes. */
const BESIDE: Readonly<Record<string, Scope>> = { "DELETE /v1/runs/:run_id": "score" };

/** Where a route's pattern leads, with something in place of its parameters. */
const concrete = (pattern: string) => pattern.replace(/:\w+/g, "x");

describe("the table of access", () => {
  test("names every route of the app exactly once, and no route that is not there", () => {
    const routes = setUp().app.routes.filter(({ path }) => path !== "/*");
    const named = ALL.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(named).size).toBe(named.length);
    expect(named.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test("opens to all only liveness and documentation, to logs what reads the log, to logs:all what tells of all keys at once, and to admin what acts on the deployment", () => {
    const reading =
      "GET /v1/runs,GET /v1/runs/:run_id,GET /v1/runs/:run_id/steps,GET /v1/runs/:run_id/groups,GET /v1/runs/:run_id/health,GET /v1/runs/:run_id/export";
    const pages =
      "GET /,GET /healthz,GET /health,GET /ping,GET /info,GET /readyz,GET /nemo-gym/,GET /openapi.json,GET /docs,GET /docs/errors,GET /docs/alarms,GET /docs/style.css,GET /docs/reference.js,GET /docs/reference.css,GET /docs/api/:page,GET /docs/:page,GET /docs/:folder/:page";
    // Without a key they show nothing of a run: their script asks for one.
    const ofRuns =
      "GET /runs,GET /runs/:run_id,GET /runs/:run_id/steps/:step,GET /groups/:id,GET /runs.js,GET /runs.css";
    const more =
      "GET /v1/groups/:id/verdicts,GET /v1/groups/:id/texts,GET /v1/requests/:request_id,GET /v1/logs/dead-letters,DELETE /v1/logs/dead-letters,POST /v1/logs/dead-letters/replay,POST /v1/runs/:run_id/rescore,DELETE /v1/runs/:run_id";
    expect(namesOf("public")).toEqual(`${pages},${ofRuns}`.split(",").toSorted());
    expect(namesOf("logs")).toEqual(`${reading},${more}`.split(",").toSorted());
    expect(namesOf("logs:all")).toEqual(["GET /metrics"]);
    expect(namesOf("admin")).toEqual(["PUT /v1/specs/:name", "PUT /v1/templates/:name"]);
  });

  test("closes a route that it does not know to all but admin", () => {
    expect(TABLE.scopeOf("POST", "/v1/forgotten")).toBe("admin");
    expect(TABLE.scopeOf("GET", null)).toBeNull();
  });

  test.each(SCOPED)(
    "$method $path needs $scope, or what holds it, and nothing else",
    async ({ scope, method, path }) => {
      const others = SCOPES.filter((other) => other !== scope && other !== HELD_BY[scope]);
      const beside = BESIDE[`${method} ${path}`] === undefined ? "" : `+${BESIDE[`${method} ${path}`]}`;
      const { call } = withKeys(`in:${hex("in")}:${scope}${beside},out:${hex("out")}:${others.join("+")}`);
      // The contracts of other tools say it in their own dialect, which always holds the members of
      // a problem document, too.
      const refused = await call(concrete(path), { method, headers: bearer("out") });
      expect(refused.status).toBe(403);
      const detail = expect.stringContaining(`scope "${scope}"`);
      expect(await refused.json()).toMatchObject({ code: "forbidden_scope", retryable: false, detail });
      expect([401, 403]).not.toContain((await call(concrete(path), { method, headers: bearer("in") })).status);
      const holder = withKeys(`holder:${hex("holder")}:${HELD_BY[scope] ?? scope}${beside}`);
      expect([401, 403]).not.toContain(
        (await holder.call(concrete(path), { method, headers: bearer("holder") })).status,
      );
    },
  );

  test("asks for the scope of HEAD as for that of GET, and before the body is read", async () => {
    const { call } = withKeys(`s:${hex("k")}:score`);
    expect((await call("/v1/runs", { method: "HEAD", headers: bearer("k") })).status).toBe(403);
    const { call: other, post } = withKeys(`s:${hex("k")}:logs`);
    expect((await other("/v1/runs", { method: "HEAD", headers: bearer("k") })).status).toBe(200);
    expect((await problemOf(await post("/v1/rewards", "{not json", bearer("k")))).code).toBe("forbidden_scope");
  });

  test("keeps an unknown path and a wrong method what they are, and shows them to no one without a key", async () => {
    const { call } = withKeys(`s:${hex("k")}:score`);
    expect((await call("/v1/nothing", { headers: bearer("k") })).status).toBe(404);
    expect((await call("/v1/rewards", { headers: bearer("k") })).status).toBe(405);
    expect((await call("/v1/nothing")).status).toBe(401);
  });
});

describe("a key without scopes", () => {
  test("scores and reads logs but stores no spec; one with admin does", async () => {
    const { call } = withKeys(`plain:${hex("plain")},root:${hex("root")}:admin`);
    const put = (key: string) =>
      call("/v1/specs/mine", {
        method: "PUT",
        headers: { ...bearer(key), "content-type": "application/json" },
        body: "{}",
      });
    expect((await call("/v1/runs", { headers: bearer("plain") })).status).toBe(200);
    expect((await problemOf(await put("plain"))).code).toBe("forbidden_scope");
    expect((await put("root")).status).toBe(200);
    expect((await call("/v1/specs/mine", { headers: bearer("plain") })).status).toBe(200);
  });

  test("is not what an open deployment on loopback asks for: it has every scope", async () => {
    const headers = { "content-type": "application/json" };
    expect((await setUp().call("/v1/specs/mine", { method: "PUT", headers, body: "{}" })).status).toBe(200);
  });
});

test("a digest counts in every byte", async () => {
  const digest = hex("k");
  for (let at = 0; at < digest.length; at++) {
    const other = digest.slice(0, at) + (digest[at] === "0" ? "1" : "0") + digest.slice(at + 1);
    expect((await withKeys(`lab:${other}`).call("/v1/runs", { headers: bearer("k") })).status).toBe(401);
  }
});

test("two keys of one name both work while a key is rotated, and own the same rows", async () => {
  const { post, runLog } = withKeys(`lab:${hex("old")},lab:${hex("new")}`);
  for (const key of ["old", "new"]) expect((await post("/v1/rewards", twoRollouts(), bearer(key))).status).toBe(200);
  expect(runLog.entries.map((entry) => entry.key_name)).toEqual(["lab", "lab"]);
  const after = withKeys(`lab:${hex("new")}`);
  expect((await after.call("/v1/runs", { headers: bearer("old") })).status).toBe(401);
  expect((await after.call("/v1/runs", { headers: bearer("new") })).status).toBe(200);
});

test("no text but a configured key is a key, and any set of scopes is exactly the set that was written", () => {
  const scopes = fc.uniqueArray(fc.constantFrom<Scope>(...SCOPES), { minLength: 1 });
  fc.assert(
    fc.property(scopes, (given) => {
      const [key] = keysOf(`a:${hex("x")}:${given.join("+")}`);
      expect(key?.scopes).toEqual(given);
    }),
  );
  const presented = fc.string({ unit: "binary", minLength: 1, maxLength: 600 }).filter((text) => text !== "lab-key");
  return fc.assert(
    fc.asyncProperty(presented, async (text) => {
      const { call } = withKeys(`lab:${hex("lab-key")}`);
      const path = `/k/${encodeURIComponent(text.toWellFormed())}/v1/runs`;
      expect((await call(path)).status).toBe(401);
    }),
    { numRuns: 60 },
  );
});
