// Guarantees that a misspelt name is answered with the one that was meant, wherever names stand: fields,
// choices, kinds, prompts, stored specs, expressions, query parameters, paths.

import { describe, expect, test } from "vitest";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { BUILT_IN_DEFAULT } from "../../../src/core/reward/default-spec.ts";
import { fakeRunLog, fakeSpecStore } from "../../harness/fakes.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

const { groups } = twoRollouts();
const withSpec = (spec: unknown) => ({ spec, groups });
const withSignal = (signal: object, more: object = {}) => withSpec({ signals: { base: signal }, ...more });

const FIELDS: [body: unknown, path: string, meant: string][] = [
  [{ group: groups, groups }, "group", "groups"],
  [{ groups, spek: "default" }, "spek", "spec"],
  [{ groups: [{ prompt: "p", rollout: [] }] }, "groups[0].rollout", "rollouts"],
  [
    { groups: [{ prompt: "p", rollouts: [{ text: "t", lenght_tokens: 3 }] }] },
    "groups[0].rollouts[0].lenght_tokens",
    "length_tokens",
  ],
  [withSpec({ judge: { schedul: "swiss" } }), "spec.judge.schedul", "schedule"],
  [withSpec({ judge: { schedule: { name: "swiss", round: 2 } } }), "spec.judge.schedule.round", "rounds"],
  [withSpec({ judge: { schedule: "round_robbin" } }), "spec.judge.schedule", "round_robin"],
  [withSpec({ judge: { schedule: { name: "swis" } } }), "spec.judge.schedule.name", "swiss"],
  [withSpec({ judge: { mode: "pairwize" } }), "spec.judge.mode", "pairwise"],
  [withSpec({ judge: { preset: "code-selct" } }), "spec.judge.preset", "code-select"],
  [withSpec({ judge: { prompt: "code-selct" } }), "spec.judge.prompt", "code-select"],
  [withSpec({ reward: "win_rat" }), "spec.reward", "win_rate"],
  [withSpec({ format: { rules: ["has_candidates"] } }), "spec.format.rules[0]", "has_candidate"],
  [withSignal({ kind: "tournement" }), "spec.signals.base.kind", "tournament"],
  [withSignal({ kind: "tournament", judgge: {} }), "spec.signals.base.judgge", "judge"],
  [withSignal({ kind: "tournament" }, { reward: "bases" }), "spec.reward", "base"],
  [withSignal({ kind: "tournament" }, { reward: "clmp(base, 0, 1)" }), "spec.reward", "clamp"],
  [withSpec("nightley"), "spec", "nightly"],
];

describe("POST /v1/rewards says what was meant by", () => {
  test.each(FIELDS)("%j", async (body, path, meant) => {
    const specs = fakeSpecStore();
    await specs.save("nightly", BUILT_IN_DEFAULT);
    const { status, detail, errors } = await problemOf(await setUp({ specs }).post("/v1/rewards", body));
    expect(status).toBe(400);
    const message = errors?.find((error) => error.path === path)?.message;
    expect(message, JSON.stringify(errors)).toContain(`; did you mean ${JSON.stringify(meant)}?`);
    // Whatever else is missing for it.
    expect(detail).toMatch(/^[^;]*; did you mean "/);
  });
});

test("a kind that there is not is refused with those that there are", async () => {
  const { errors } = await problemOf(await setUp().post("/v1/rewards", withSignal({ kind: "nothing" })));
  expect(errors?.[0]).toMatchObject({
    path: "spec.signals.base.kind",
    message: expect.stringContaining('one of "tournament", '),
  });
  const missing = await problemOf(await setUp().post("/v1/rewards", withSignal({})));
  expect(missing.errors?.[0]?.message).toMatch(/^required \(one of "tournament", /);
});

test("a field that is like none is refused without a suggestion", async () => {
  const { errors } = await problemOf(await setUp().post("/v1/rewards", { groups, xyzzy: 1 }));
  expect(errors).toEqual([{ path: "xyzzy", message: "unknown field" }]);
});

test("a spec's name is refused without a suggestion where the names cannot be read", async () => {
  const names = () => Promise.reject(new Error("down"));
  const { code, errors } = await problemOf(
    await setUp({ specs: { ...fakeSpecStore(), names } }).post("/v1/rewards", withSpec("nightley")),
  );
  expect([code, errors]).toEqual(["unknown_spec", [{ path: "spec", message: "not the name of a stored spec" }]]);
});

test.each([
  ["defaul", 'spec: not the name of a stored spec; did you mean "default"? Store one with PUT /v1/specs/:name.'],
  ["zzz", "spec: not the name of a stored spec. Store one with PUT /v1/specs/:name."],
  [{ judge: { preset: "text-selct" } }, 'PUT /v1/templates/:name; did you mean "text-select"?'],
])("the sentence of a refused name %j repeats the field's error word for word", async (spec, end) => {
  const { detail, errors } = await problemOf(await setUp().post("/v1/rewards", withSpec(spec as never)));
  expect(detail).toContain(`${errors?.[0]?.path}: ${errors?.[0]?.message}`);
  expect(detail?.endsWith(end)).toBe(true);
});

test("a query parameter is suggested like a field", async () => {
  const { errors } = await problemOf(await setUp().call("/v1/runs?limt=3"));
  expect(errors).toEqual([{ path: "limt", message: 'unknown field; did you mean "limit"?' }]);
});

describe("a path without a route is answered with the nearest one:", () => {
  test.each([
    ["POST", "/v1/reward", "POST /v1/rewards"],
    ["POST", "/rewards", "POST /v1/rewards"],
    ["POST", "/v1/rerank/rerank", "POST /v1/rerank"],
    ["POST", "/v1/rank", "POST /v1/rerank"],
    ["POST", "/rank", "POST /rerank"],
    ["POST", "/api/v1/reranking", "POST /v1/rerank"],
    ["POST", "/v1/rerank/documents", "POST /v1/rerank"],
    ["POST", "/infinity/v1/rerank", "POST /infinity/rerank"],
    ["GET", "/v1/rerank/x", "POST /v1/rerank"],
    ["POST", "/v1/scores", "POST /v1/score"],
    ["POST", "/classification", "POST /classify"],
    ["POST", "/v1/chat", "POST /v1/chat/completions"],
    ["GET", "/v1/model", "GET /v1/models"],
    ["GET", "/v1/health", "GET /health"],
    ["GET", "/livez", "GET /healthz"],
    ["GET", "/readiness", "GET /readyz"],
    ["POST", "/V1/Rewards", "POST /v1/rewards"],
    ["GET", "/v1/run/r-1/steps", "GET /v1/runs/:run_id/steps"],
    ["PUT", "/v1/spec/mine", "PUT /v1/specs/:name"],
    ["GET", "/k/secret-key/v1/runz", "GET /v1/runs"],
  ])("%s %s", async (method, path, meant) => {
    const reply = await setUp().call(path, { method });
    const { detail } = (await reply.json()) as { detail: string };
    expect(reply.status).toBe(404);
    expect(detail).toBe(`There is nothing at this path. Did you mean ${meant}? GET /docs lists the routes.`);
  });

  test.each([
    ["POST", "/chat/completions", 404, "Did you mean POST /v1/chat/completions?"],
    ["POST", "/v1/chat/completion", 404, "Did you mean POST /v1/chat/completions?"],
    ["GET", "/v1/chat/completions", 405, "This path supports POST, OPTIONS."],
  ])("%s %s, in the form that its clients read", async (method, path, status, said) => {
    const reply = await setUp().call(path, { method });
    const { error } = (await reply.json()) as { error: { message: string; type: string } };
    expect([reply.status, error.type, reply.headers.get("content-type")]).toEqual([
      status,
      "invalid_request_error",
      "application/json",
    ]);
    expect(error.message).toContain(said);
  });

  test("none where none is near", async () => {
    const { detail } = await problemOf(await setUp().call("/completely/elsewhere"));
    expect(detail).toBe("There is nothing at this path. GET /docs lists the routes.");
  });
});

describe("a path without a route, asked for by a browser, is answered with a page:", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test.each([
    ["/nothing", "There is nothing at this path. GET /docs lists the routes."],
    ["/v1/runz", "There is nothing at this path. Did you mean GET /v1/runs? GET /docs lists the routes."],
    [
      "/chat/completion",
      "There is nothing at this path. Did you mean POST /v1/chat/completions? GET /docs lists the routes.",
    ],
    ["/docs/nonsense", "This page does not exist. GET /docs/guides lists the pages."],
  ])("%s, also without a key", async (path, text) => {
    const keys = [{ name: "k", digest: new Uint8Array(32), scopes: ["score" as const] }];
    const reply = await setUp({ keys }).call(path, { headers: { accept: BROWSER } });
    expect([reply.status, reply.headers.get("content-type"), reply.headers.get("cache-control")]).toEqual([
      404,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    expect(reply.headers.get("content-security-policy")).toContain("style-src 'self'");
    expect(await reply.text()).toContain(`<h1>Not found</h1><p>${text}</p>`);
  });

  test.each(["*/*", "application/json", "application/json, text/plain, */*", "text/html;q=0.5, application/json", ""])(
    "and with data for Accept: %s",
    async (accept) => {
      const { detail } = await problemOf(await setUp().call("/nothing", { headers: { accept } }));
      expect(detail).toBe("There is nothing at this path. GET /docs lists the routes.");
    },
  );

  test("and with data where the deployment has no pages, or a page of another status is meant", async () => {
    const headers = { accept: BROWSER };
    const assets = async () => new Response(null, { status: 404 });
    await problemOf(await setUp({ assets }).call("/nothing", { headers }));
    expect((await problemOf(await setUp().call("/v1/rewards", { headers }))).status).toBe(405);
  });

  test("with its message escaped", async () => {
    const runLog = { ...fakeRunLog(), run: () => Promise.reject(new ApiError("not_found", "a<b>&")) };
    const reply = await setUp({ runLog }).call("/v1/runs/r", { headers: { accept: BROWSER } });
    expect(await reply.text()).toContain("<p>a&lt;b>&amp;</p>");
  });
});
