// The guarantees of keys, paths, methods, headers and content types.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fakeRunLog } from "../../harness/fakes.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

const digest = (key: string) => new Uint8Array(createHash("sha256").update(key).digest());
const KEYS = [
  { name: "lab", digest: digest("key-of-the-lab") },
  { name: "ci", digest: digest("pässwörd") },
];
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

describe("a configured key is accepted as", () => {
  test.each<[string, string, Record<string, string>]>([
    ["a Bearer token", "/v1/runs", { authorization: "Bearer key-of-the-lab" }],
    ["X-Api-Key", "/v1/runs", { "x-api-key": "key-of-the-lab" }],
    ["the Basic password", "/v1/runs", { authorization: basic("anyone:key-of-the-lab") }],
    ["a Basic password beyond ASCII", "/v1/runs", { authorization: basic("u:pässwörd") }],
    ["a path prefix", "/k/key-of-the-lab/v1/runs", {}],
    ["a percent-encoded path prefix", "/k/p%C3%A4ssw%C3%B6rd/v1/runs", {}],
  ])("%s", async (_name, path, headers) => {
    expect((await setUp({ keys: KEYS }).call(path, { headers })).status).toBe(200);
  });
});

describe("a 401 says what is wrong with", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ["no header", {}, /^No key was sent\./],
    ["a key without its scheme", { authorization: "key-of-the-lab" }, /^The Authorization header has no readable key/],
    ["a scheme alone", { authorization: "Bearer" }, /^The Authorization header has no readable key/],
    ["another scheme", { authorization: "Token key-of-the-lab" }, /^The Authorization header has no readable key/],
    [
      "Basic without a colon",
      { authorization: `Basic ${btoa("key")}` },
      /^The Authorization header has no readable key/,
    ],
    ["another key", { authorization: "Bearer key" }, /^The key is not valid for this deployment/],
  ])("%s", async (_name, headers, said) => {
    const { detail } = await problemOf(await setUp({ keys: KEYS }).call("/v1/runs", { headers }));
    expect(detail).toMatch(said);
    expect(detail).not.toContain("key-of-the-lab");
  });
});

test("a Host header that makes no URL, such as two of them, is a fault of the request", async () => {
  const { app, lines } = setUp({ keys: KEYS });
  for (const path of ["/healthz", "/v1/runs"]) {
    const url = `http://one.example, two.example${path}`;
    const request = { url, method: "GET", headers: new Headers(), body: null, signal: new AbortController().signal };
    const reply = await app.fetch(request as unknown as Request);
    // Without a host it can name no page.
    const document = { type: "/docs/errors#invalid_request", code: "invalid_request", errors: [{ path: "Host" }] };
    expect([reply.status, await reply.json()]).toMatchObject([400, document]);
  }
  expect(lines).toEqual([]);
});

describe("401 is the answer to", () => {
  test.each<[string, string, Record<string, string>]>([
    ["no key", "/v1/runs", {}],
    ["a wrong Bearer token", "/v1/runs", { authorization: "Bearer wrong-key-here" }],
    ["a key cut short", "/v1/runs", { authorization: "Bearer key-of-the-la" }],
    [
      "a digest in place of its key",
      "/v1/runs",
      { "x-api-key": Buffer.from(digest("key-of-the-lab")).toString("hex") },
    ],
    ["a Basic user name in place of the password", "/v1/runs", { authorization: basic("key-of-the-lab:") }],
    ["broken base64", "/v1/runs", { authorization: "Basic %%%" }],
    ["a wrong path prefix", "/k/wrong-key-here/v1/runs", {}],
    ["broken percent-encoding", "/k/%E0%A4%A/v1/runs", {}],
    ["a key over key_chars", "/v1/runs", { "x-api-key": "x".repeat(LIMITS.key_chars + 1) }],
    ["an unknown path without a key", "/v1/nothing", {}],
    ["metrics without a key", "/metrics", {}],
  ])("%s", async (_name, path, headers) => {
    const { call, lines } = setUp({ keys: KEYS, log_requests: true });
    const response = await call(path, { headers });
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 401, code: "unauthorized", retryable: false });
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(JSON.stringify([problem, lines])).not.toMatch(/wrong-key-here|key-of-the-la/);
  });
});

test("the log line of a request holds the key's name, never the key, also when it came in the path", async () => {
  const { call, lines } = setUp({ keys: KEYS, log_requests: true });
  await call("/k/key-of-the-lab/v1/runs/none");
  expect(lines).toEqual([expect.objectContaining({ route: "/v1/runs/:run_id", status: 404, key_name: "lab" })]);
  expect(JSON.stringify(lines)).not.toContain("key-of-the-lab");
});

test("the log line holds the path that was asked for, but no word of an unknown one that may be a key", async () => {
  const { call, lines } = setUp({ log_requests: true });
  const paths = [
    "/v1/runs/mine",
    "/v1/rewardz",
    "/K/key-of-the-lab/v1/runs",
    "//k/key-of-the-lab/v1",
    `/v1/${"x".repeat(40)}`,
  ];
  for (const path of paths) await call(path);
  expect(lines.map(({ path }) => path)).toEqual(["/v1/runs/mine", "/v1/rewardz", "/K/…/v1/runs", "/k/…/v1", "/v1/…"]);
  await call(`/v1/runs/${"y".repeat(500)}`);
  expect(String(lines.at(-1)?.path)).toHaveLength(LIMITS.logged_path_chars);
});

test("the log line of a scored request says how much was scored and how often the verifier was asked", async () => {
  const { post, lines } = setUp({ log_requests: true });
  await post("/v1/rewards", twoRollouts());
  await expect.poll(() => lines).toHaveLength(1);
  const counts = { groups: 1, rollouts: 2, rewards: 2, reward_mean: 0.5, verifier_calls: 1 };
  expect(lines).toEqual([expect.objectContaining({ path: "/v1/rewards", ...counts })]);
  for (const none of ["nulls", "failed", "reasons", "client_gone"]) expect(lines[0]).not.toHaveProperty(none);
});

test("the log line of a scored request counts rewards that are null, by code", async () => {
  const { post, lines } = setUp({ log_requests: true });
  await post("/v1/rewards", { groups: [{ prompt: "p", rollouts: [{ text: "alone" }] }] });
  await expect.poll(() => lines).toHaveLength(1);
  const counts = { rollouts: 1, rewards: 0, reward_mean: null, nulls: { group_too_small: 1 } };
  expect(lines).toEqual([expect.objectContaining(counts)]);
});

test("the log line of a request that was refused has the code, in another tool's contract too", async () => {
  const { post, lines } = setUp({ log_requests: true });
  await post("/v1/rewards", { groups: [] });
  await post("/v2/rerank", { model: "default", query: "q" });
  await expect.poll(() => lines).toHaveLength(2);
  expect(lines).toMatchObject([
    { status: 400, refused: "invalid_request" },
    { status: 400, refused: "invalid_request" },
  ]);
});

test("the log line of a reply that is still being read comes with its last row, once", async () => {
  const { call, post, lines } = setUp({ log_requests: true });
  await post("/v1/rewards", { ...twoRollouts(), run_id: "read" });
  await expect.poll(() => lines).toHaveLength(1);
  const reply = await call("/v1/runs/read/export?table=groups");
  expect(lines).toHaveLength(1);
  await reply.text();
  await expect.poll(() => lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ route: "/v1/runs/:run_id/export", status: 200 });
});

test("a request whose client goes has its log line then, with what is known, and no second one", async () => {
  const client = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { promise: answer, resolve: release } = Promise.withResolvers<never[]>();
  const health = () => {
    resolve();
    return answer;
  };
  const runLog = { ...fakeRunLog(), health };
  const { call, lines } = setUp({ log_requests: true, runLog });
  const reply = call("/v1/runs/mine/health", { signal: client.signal });
  await asked;
  expect(lines).toEqual([]);
  client.abort();
  expect(lines).toEqual([expect.objectContaining({ status: null, client_gone: true })]);
  release([]);
  await reply;
  expect(lines).toHaveLength(1);
});

test("the key's name is logged with the batch", async () => {
  const { post, runLog } = setUp({ keys: KEYS });
  await post("/v1/rewards", twoRollouts(), { "x-api-key": "key-of-the-lab" });
  expect(runLog.entries[0]?.key_name).toBe("lab");
});

describe("without configured keys", () => {
  const at = (host: string, headers: Record<string, string> = {}) =>
    setUp().app.request(`http://${host}/v1/runs`, { headers });
  test.each(["localhost", "127.0.0.1:8787", "[::1]:80", "kritai.localhost"])("%s is open", async (host) => {
    expect((await at(host)).status).toBe(200);
  });
  test.each(["example.com", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1"])(
    "%s is not configured",
    async (host) => {
      expect(await problemOf(await at(host))).toMatchObject({
        status: 503,
        code: "not_configured",
        errors: [{ path: "API_KEYS" }],
      });
    },
  );
  test("a loopback name asked from elsewhere, or by a foreign web page, is not configured", async () => {
    expect((await at("localhost", { "cf-connecting-ip": "203.0.113.9" })).status).toBe(503);
    expect((await at("localhost", { "cf-connecting-ip": "::1" })).status).toBe(200);
    expect((await at("localhost", { "sec-fetch-site": "cross-site" })).status).toBe(503);
  });
  test("workerd's own word on where a request is from goes before a header that its client wrote", async () => {
    const from = (clientIp: string) => {
      const request = new Request("http://localhost/v1/runs", { headers: { "cf-connecting-ip": "::1" } });
      return setUp().app.request(Object.assign(request, { cf: { clientIp } }));
    };
    expect((await from("203.0.113.9:4711")).status).toBe(503);
    expect((await from("[::1]:4711")).status).toBe(200);
  });
});

test("wrong variables close everything but the public routes, and are named without their values", async () => {
  const { call } = setUp({ faults: [{ path: "API_KEYS", message: "must be pairs" }] });
  const problem = await problemOf(await call("/v1/runs"));
  expect(problem).toMatchObject({ status: 503, code: "not_configured", errors: [{ path: "API_KEYS" }] });
  expect((await call("/healthz")).status).toBe(200);
  expect(await problemOf(await call("/readyz"))).toMatchObject({ code: "not_ready", errors: [{ path: "API_KEYS" }] });
});

test("an unknown path is 404 and a wrong method 405 with Allow", async () => {
  const { call, post } = setUp();
  expect((await problemOf(await call("/v2/rewards"))).code).toBe("not_found");
  const wrong = await call("/v1/rewards");
  expect((await problemOf(wrong)).code).toBe("method_not_allowed");
  expect(wrong.headers.get("allow")).toBe("POST, OPTIONS");
  expect((await post("/v1/runs/x/steps", {})).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect((await post("/v1/specs/x", {})).headers.get("allow")).toBe("GET, HEAD, PUT, OPTIONS");
});

test("HEAD answers as GET without a body, OPTIONS names the methods without a key", async () => {
  const { call } = setUp({ keys: KEYS });
  const head = await call("/healthz", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const options = await call("/v1/rewards", { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
  expect((await call("/v1/nothing", { method: "OPTIONS" })).status).toBe(404);
});

test("every reply has an id, Server-Timing and the security headers", async () => {
  const { call } = setUp();
  for (const path of ["/healthz", "/v1/runs", "/nothing", "/docs"]) {
    const { headers } = await call(path);
    expect(headers.get("x-request-id")).toHaveLength(26);
    expect(headers.get("server-timing")).toContain("overhead;dur=");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

describe("the content type", () => {
  const send = (headers: Record<string, string>) =>
    setUp().call("/v1/rewards", {
      method: "POST",
      headers,
      body: new TextEncoder().encode(JSON.stringify(twoRollouts())),
    });
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.kritai+json",
    'Application/JSON;charset="UTF-8"',
  ])("%s is accepted", async (type) => expect((await send({ "content-type": type })).status).toBe(200));
  test("none at all is accepted", async () => expect((await send({})).status).toBe(200));
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json; charset=latin1",
  ])("%s is 415", async (type) =>
    expect((await problemOf(await send({ "content-type": type }))).code).toBe("unsupported_media_type"),
  );
  test("a compressed body is 415", async () => {
    const response = await send({ "content-type": "application/json", "content-encoding": "gzip" });
    expect((await problemOf(response)).detail).toContain("Content-Encoding");
  });
});

describe("a body over body_bytes", () => {
  const MIB = new Uint8Array(1024 * 1024).fill(0x20);
  function endless() {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(MIB);
      },
    });
    return { body, pulled: () => pulled };
  }
  const send = (headers: Record<string, string>, body: ReadableStream<Uint8Array>) =>
    setUp().call("/v1/rewards", { method: "POST", headers, body, duplex: "half" } as RequestInit);

  const drained = LIMITS.body_drain_bytes / MIB.byteLength;

  test("is refused by its Content-Length, and what still comes is let in up to body_drain_bytes, then no more", async () => {
    const source = endless();
    const problem = await problemOf(await send({ "content-length": `${LIMITS.body_bytes + 1}` }, source.body));
    expect(problem).toMatchObject({
      status: 413,
      code: "body_too_large",
      detail: expect.stringContaining("body_bytes = 18874368"),
    });
    expect(source.pulled()).toBeLessThanOrEqual(drained + 2);
  });

  test("is refused while streaming, and no more than body_drain_bytes after the limit is let in, when no length is declared or the declared one lies", async () => {
    for (const headers of [{}, { "content-length": "10" }]) {
      const source = endless();
      expect((await problemOf(await send(headers as Record<string, string>, source.body))).code).toBe("body_too_large");
      expect(source.pulled()).toBeLessThanOrEqual(18 + drained + 3);
    }
  });
});
