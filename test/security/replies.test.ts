// Defines what every reply carries for safety's sake, and what none may carry: internals of a fault.
// Invariant 10: Keys and texts never appear in logs or errors.

import { describe, expect, test } from "vitest";
import { setUp, twoRollouts } from "../api/routes/harness.ts";
import { fakeRunLog, fakeSpecStore } from "../harness/fakes.ts";
import fc from "../harness/property.ts";

const PAGES = ["/docs", "/docs/errors", "/docs/api/scoring"];
const DATA = ["/", "/healthz", "/readyz", "/metrics", "/v1/runs", "/v1/models", "/v1/specs/default", "/nothing"];

describe("security headers", () => {
  test.each([...PAGES, ...DATA, "/openapi.json", "/docs/style.css"])("%s has those of its kind", async (path) => {
    const { headers } = await setUp().call(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "strict-transport-security": expect.stringMatching(/^max-age=\d{8}/),
      "cross-origin-resource-policy": "same-origin",
    });
    const ofPages = {
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "content-security-policy": expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
    };
    if (headers.get("content-type")?.startsWith("text/html")) {
      expect(Object.fromEntries(headers)).toMatchObject(ofPages);
    } else for (const name of Object.keys(ofPages)) expect(headers.has(name), name).toBe(false);
    expect(headers.has("access-control-allow-origin")).toBe(false);
    expect(headers.has("x-powered-by")).toBe(false);
  });

  test.each(DATA)("%s is kept in no cache", async (path) => {
    expect((await setUp().call(path)).headers.get("cache-control")).toContain("no-store");
  });

  test("scored replies, streams and refusals are kept in no cache either", async () => {
    const { post } = setUp();
    const stream = { accept: "application/x-ndjson" };
    for (const reply of [
      await post("/v1/rewards", twoRollouts()),
      await post("/v1/rewards", twoRollouts(), stream),
      await post("/v1/rewards", {}),
    ]) {
      expect(reply.headers.get("cache-control")).toContain("no-store");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test.each(PAGES)("%s runs no script but its own and loads nothing from elsewhere", async (path) => {
    const response = await setUp().call(path);
    const policy = response.headers.get("content-security-policy") ?? "";
    const script = '<script type="module" src="/docs/reference.js"></script>';
    const whole = await response.text();
    expect(policy.includes("script-src 'self';")).toBe(whole.includes(script));
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(whole.replace(script, "")).not.toMatch(/<script|\son\w+="|javascript:|style="/i);
  });
});

/** Faults as drivers throw them: class, message, cause and further members may all hold internals. */
const faults = fc
  .record({
    kind: fc.constantFrom(Error, TypeError, RangeError, AggregateError as unknown as ErrorConstructor),
    secret: fc.stringMatching(/^[A-Za-z0-9]{24}$/),
    wrap: fc.constantFrom("message", "cause", "member", "thrown text", "name"),
  })
  .map(({ kind, secret, wrap }) => {
    const text = `postgres://user:${secret}@db.internal/x`;
    if (wrap === "thrown text") return { secret, thrown: text };
    const error =
      kind === (AggregateError as unknown as ErrorConstructor) ? new AggregateError([], text) : new kind(text);
    if (wrap === "cause") error.cause = new Error(text);
    if (wrap === "member") Object.assign(error, { query: text, parameters: [text], code: text });
    return { secret, thrown: error as unknown };
  });

test("whatever a part throws, its words reach no reply and no log line", () =>
  fc.assert(
    fc.asyncProperty(
      faults,
      fc.constantFrom("runLog", "specs", "verifier", "check"),
      async ({ secret, thrown }, part) => {
        const fail = () => {
          throw thrown;
        };
        const failing = new Proxy({}, { get: () => fail });
        const verifier = { protocol: "openai", generations_max: 100, check: fail, session: fail } as never;
        const { call, post, lines } = setUp({
          log_requests: true,
          ...(part === "runLog" && {
            runLog: { ...fakeRunLog(), ...({ append: fail, runs: fail, check: fail } as object) },
          }),
          ...(part === "specs" && {
            specs: { ...fakeSpecStore(), ...(failing as object), get: fail, save: fail } as never,
          }),
          ...((part === "verifier" || part === "check") && { verifier }),
        });
        const replies = [
          await call("/v1/runs"),
          await call("/v1/specs/mine"),
          await call("/v1/models"),
          await call("/readyz"),
          await post("/v1/rewards", twoRollouts()),
          await post("/v1/rewards", { ...twoRollouts(), spec: "mine" }),
          await post("/v1/rerank", { query: "q", documents: ["a1", "b2"] }),
          await post("/v1/rewards", twoRollouts(), { accept: "application/x-ndjson" }),
        ];
        for (const reply of replies) {
          const said = `${JSON.stringify([...reply.headers])}${await reply.text().catch((error) => String(error.name))}`;
          expect(said).not.toContain(secret);
          expect(said).not.toMatch(/node_modules|\.ts:\d|at \w+ \(/);
        }
        expect(JSON.stringify(lines)).not.toContain(secret);
      },
    ),
    { numRuns: 60 },
  ));
