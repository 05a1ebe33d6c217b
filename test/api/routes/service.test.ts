// The guarantees of the service routes, the documentation and the specs.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { openapiText } from "../../../scripts/build/openapi/document.ts";
import * as examples from "../../../scripts/build/openapi/examples.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { ITEM_ERRORS, REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { fakeVerifier, fixedClock } from "../../harness/fakes.ts";
import { openapi } from "../../harness/openapi.ts";
import { longest, problemOf, setUp, twoRollouts } from "./harness.ts";

test("/ and /healthz live without any part, and /readyz says which part is missing", async () => {
  const verifier = fakeVerifier(longest, { health: { ok: false, latency_ms: 3, detail: "refused" } });
  const { call } = setUp({ verifier });
  expect(await (await call("/")).json()).toMatchObject({ name: "kritai", docs: "/docs" });
  expect((await call("/healthz")).status).toBe(200);
  const response = await call("/readyz");
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await problemOf(response)).toMatchObject({
    status: 503,
    code: "not_ready",
    checks: { database: { ok: true }, verifier: { detail: "refused" } },
  });
  expect(await (await setUp().call("/readyz")).json()).toMatchObject({ ready: true });
});

test("/ is a page for a browser, and JSON for all others", async () => {
  const { call } = setUp();
  const page = await call("/", { headers: { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" } });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("style-src 'self'");
  expect(await page.text()).toContain('<a href="/runs">');
  for (const accept of ["*/*", "application/json", ""]) {
    const told = await call("/", { headers: { accept } });
    expect([told.headers.get("vary"), (await told.json()).name]).toEqual(["accept", "kritai"]);
  }
});

test("guides are pages, and an address that names none is 404, whatever it holds", async () => {
  const { call } = setUp();
  for (const path of ["/docs/guides", "/docs/guides/training", "/docs/integrations/trl", "/docs/spec"]) {
    expect((await call(path)).status, path).toBe(200);
  }
  for (const path of ["/docs/none", "/docs/guides/none", "/docs/..%2Fruns", "/docs/guides/%2e%2e%2f", "/docs/Runs"]) {
    expect(await problemOf(await call(path)), path).toMatchObject({ status: 404, code: "not_found" });
  }
});

test("what /readyz says when it is not ready is what the document says of it", async () => {
  const refused = { ok: false, latency_ms: 3, detail: "refused" };
  const backends = [{ ...refused, name: "verifier", breaker: "open" as const }];
  const verifier = fakeVerifier(longest, { health: { ...refused, context_tokens: 8, backends } });
  const validator = new Ajv2020({ strict: false, validateFormats: false });
  const validate = validator.addSchema(openapi, "document").compile({ $ref: "document#/components/schemas/NotReady" });
  validate(await problemOf(await setUp({ verifier }).call("/readyz")));
  expect(validate.errors).toBeNull();
});

test("/readyz asks the parts at most once a second", async () => {
  const clock = fixedClock();
  let asked = 0;
  const verifier = { ...fakeVerifier(longest), check: async () => ({ ok: true, latency_ms: ++asked }) };
  const { call } = setUp({ clock, verifier });
  await call("/readyz");
  await call("/readyz");
  expect(asked).toBe(1);
  clock.advance(1000);
  await call("/readyz");
  expect(asked).toBe(2);
});

test("a check that throws makes /readyz say not ready, not fail", async () => {
  const verifier = { ...fakeVerifier(longest), check: () => Promise.reject(new Error("boom")) };
  expect((await problemOf(await setUp({ verifier }).call("/readyz"))).code).toBe("not_ready");
});

test("/metrics is Prometheus text with counts by route and status, rewards, generations, tokens and the governor's peak", async () => {
  const { call, post } = setUp();
  await post("/v1/rewards", twoRollouts());
  await call("/nothing");
  const response = await call("/metrics");
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  const text = await response.text();
  expect(text).toContain('kritai_requests_total{route="/v1/rewards",status="200"} 1');
  expect(text).toContain('kritai_requests_total{route="unmatched",status="404"} 1');
  expect(text).toContain('kritai_rewards_total{kind="rewards"} 2');
  expect(text).toContain('kritai_generations_total{outcome="parsed"} 1');
  expect(text).toContain('kritai_verifier_tokens_total{kind="prompt"} 10');
  expect(text).toContain("kritai_headers_waiting_max 1");
  expect(text).toContain('kritai_request_seconds_bucket{route="/v1/rewards",le="+Inf"} 1');
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.e+-]+)$/);
  }
});

test("every route of the app is in the document", async () => {
  const { app, call } = setUp();
  const document = (await (await call("/openapi.json")).json()) as { openapi: string; paths: Record<string, object> };
  expect(document.openapi).toBe("3.1.0");
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((m) => `${m} ${path}`),
  );
  const served = app.routes
    .filter((r) => r.method !== "ALL")
    .map((r) => `${r.method} ${r.path.replace(/:(\w+)/g, "{$1}")}`.replace(/^\w+/, (m) => m.toLowerCase()));
  // Pages that show runs, guides, and what pages are made of.
  const isPage = (route: string) =>
    /^get \/(?:runs|groups)[./]|^get \/runs$|\.css$|\.js$|^get \/docs\/.*\{/.test(route);
  expect(new Set(described)).toEqual(new Set(served.filter((route) => !isPage(route))));
});

test("GET / tells the version that package.json has", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(await (await setUp().call("/")).json()).toMatchObject({ version });
});

test("every $ref of the document resolves", () => {
  const document = JSON.parse(openapiText());
  const refs = [...openapiText().matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map((m) => m[1] as string);
  expect(refs.length).toBeGreaterThan(20);
  for (const name of refs) expect(document.components.schemas, name).toHaveProperty(name);
});

test("the documentation is served without a key, with no script but its own and without other hosts, under a strict policy", async () => {
  const { call } = setUp({ keys: [{ name: "k", digest: new Uint8Array(32) }] });
  for (const path of ["/docs", "/docs/errors", "/docs/api/scoring"]) {
    const response = await call(path);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const whole = await response.text();
    const page = whole.replace('<script type="module" src="/docs/reference.js"></script>', "");
    // Addresses are in examples only: nothing is loaded from them.
    expect(page).not.toMatch(/<script|(?:src|href)="(?:https?:)?\/\/|style="| on\w+="/);
    const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]));
    // Swagger UI opens what is behind #/.
    for (const [, target] of page.matchAll(/href="#([^"/][^"]*)"/g)) expect(anchors).toContain(target);
  }
  expect((await call("/docs/reference.css")).headers.get("content-type")).toContain("text/css");
  expect((await call("/docs/reference.js")).headers.get("content-type")).toContain("text/javascript");
  expect((await call("/docs/api/nothing")).status).toBe(404);
});

test("the front page's first call goes to the server that is asked", async () => {
  const { app } = setUp();
  const page = await app.request("http://judge.internal:8787/", { headers: { accept: "text/html" } });
  expect(await page.text()).toContain("curl -s http://judge.internal:8787/v1/rewards");
});

test("every error code has its heading on the page that a problem's type points to", async () => {
  const page = await (await setUp().call("/docs/errors")).text();
  for (const code of [...Object.keys(REQUEST_ERRORS), ...Object.keys(ITEM_ERRORS)])
    expect(page).toContain(`id="${code}"`);
});

describe("specs", () => {
  const put = (call: ReturnType<typeof setUp>["call"], name: string, body: object) =>
    call(`/v1/specs/${name}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("a stored spec comes back whole, with the hash that its rewards carry", async () => {
    const { call, post } = setUp();
    const answer = await put(call, "strict-1", { ...examples.spec, overlong: null });
    expect(answer.status).toBe(200);
    const stored = (await (await call("/v1/specs/strict-1")).json()) as {
      name: string;
      spec_hash: string;
      spec: object;
    };
    expect(stored).toEqual(await answer.json());
    expect(stored.spec).toMatchObject({ judge: { both_orders: true, samples: 2, schedule: "round_robin" }, seed: 0 });
    const reply = (await (await post("/v1/rewards", { spec: "strict-1", ...twoRollouts() })).json()) as {
      spec_hash: string;
    };
    expect(reply.spec_hash).toBe(stored.spec_hash);
  });

  test("default is built in: readable, not replaceable", async () => {
    const { call } = setUp();
    expect(await (await call("/v1/specs/default")).json()).toMatchObject({
      name: "default",
      spec: { ...DEFAULT_SPEC, log_texts: false },
    });
    const problem = await problemOf(await put(call, "default", {}));
    expect(problem).toMatchObject({ status: 400, errors: [{ path: "name" }] });
  });

  test("what could never score is not stored", async () => {
    const { call } = setUp();
    expect((await problemOf(await put(call, "s", { format: { rules: [{ regex: "(a*)*" }] } }))).code).toBe(
      "unsafe_regex",
    );
    expect((await problemOf(await put(call, "s", { judge: { prompt: "none" } }))).code).toBe("unknown_prompt");
    expect((await problemOf(await put(call, "s", { color: 1 }))).errors).toEqual([
      { path: "color", message: "unknown field" },
    ]);
    expect(await problemOf(await put(call, "Bad%20Name", {}))).toMatchObject({
      status: 400,
      errors: [{ path: "name" }],
    });
    expect((await problemOf(await call("/v1/specs/s"))).code).toBe("not_found");
  });
});
