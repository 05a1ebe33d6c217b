// The proof that no request decides where the Worker sends anything: by the call sites, and by what goes out
// at run time.
import { globSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readEnv } from "../../src/env.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { setUp, twoRollouts } from "../api/routes/harness.ts";
import { fixedClock } from "../harness/fakes.ts";
import { openapi } from "../harness/openapi.ts";
import fc from "../harness/property.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const sources = globSync("src/**/*.ts", { cwd: ROOT });
const code = (path: string) => readFileSync(`${ROOT}${path}`, "utf8").replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");

describe("the call sites", () => {
  // The name alone counts, so that passing the function on is not a way past this; a header's name has a dash
  // before it.
  const NAMED = /(?<!-)\b(?:fetch(?:er)?|runtimeFetch)\b/;

  test("of fetch are the verifier's adapters, the webhook of alarms and the composition, and no other file's", () => {
    expect(sources.filter((path) => NAMED.test(code(path))).toSorted()).toEqual([
      // Words by which gateways name a failed upstream.
      "src/core/faults/question-fault.ts",
      // The type of the static assets' binding.
      "src/env.ts",
      // To the deployment's own WEBHOOK.
      "src/objects/alarm-webhook.ts",
      // To the hosts of CHECKER_HOSTS (verifier/checker/adapter.ts).
      "src/verifier/checker/adapter.ts",
      "src/verifier/checker/exchange.ts",
      "src/verifier/decision/adapter.ts",
      // The Workers AI binding in place of fetch.
      "src/verifier/decision/binding.ts",
      "src/verifier/decision/exchange.ts",
      // The one exchange of all adapters.
      "src/verifier/fan-out/exchange.ts",
      "src/verifier/gateway/adapter.ts",
      "src/verifier/gateway/health.ts",
      "src/verifier/openai/adapter.ts",
      "src/verifier/openai/health.ts",
      "src/verifier/sandbox/adapter.ts",
      "src/verifier/sandbox/exchange.ts",
      "src/verifier/scalar/adapter.ts",
      "src/worker.ts",
    ]);
  });

  test("follow no redirect", () => {
    const callers = "fan-out/exchange openai/health gateway/health sandbox/exchange"
      .split(" ")
      .map((name) => `verifier/${name}`);
    for (const path of [...callers, "objects/alarm-webhook"]) {
      expect(code(`src/${path}.ts`)).toContain('redirect: "manual"');
    }
  });

  test("there is no other way out: no socket, no client of another kind", () => {
    const other =
      /\bWebSocket\b|\bEventSource\b|XMLHttpRequest|cloudflare:sockets|["']node:(?:net|tls|http|https|dns|dgram)/;
    expect(sources.filter((path) => other.test(code(path)))).toEqual([]);
    expect(sources.filter((path) => code(path).includes("@neondatabase/serverless"))).toEqual([
      "src/run-log/db/connection.ts",
    ]);
  });
});

const HERE = "http://verifier.internal:8000";
const ELSEWHERE = "http://169.254.169.254/latest/meta-data";

type Reply = () => Response;

/** The app over a real adapter whose every request is written down. */
function recorded(make: (fetcher: typeof fetch) => Verifier, reply: Reply) {
  const asked: URL[] = [];
  const fetcher = (async (input: RequestInfo | URL) => {
    asked.push(new URL(input instanceof Request ? input.url : input));
    return reply();
  }) as typeof fetch;
  vi.stubGlobal("fetch", fetcher);
  return { asked, ...setUp({ verifier: make(fetcher) }) };
}

afterEach(() => vi.unstubAllGlobals());

const clock = fixedClock();
const ADAPTERS = {
  openai: (fetcher: typeof fetch) =>
    createOpenAiVerifier({ url: HERE, model: "m", apiKey: "k", fetch: fetcher, schedule: () => () => {} }, clock),
  verify: (fetcher: typeof fetch) =>
    createGatewayVerifier({ url: HERE, model: null, apiKey: "k", fetch: fetcher, schedule: () => () => {} }, clock),
} as const;
const refusing: Reply = () => new Response("{}", { status: 400 });

/** Names under which other services let a caller say where to send something. */
const TEMPTING = "url base_url api_base endpoint host callback webhook proxy verifier_url VERIFIER_URL model".split(
  " ",
);

interface Operation {
  requestBody?: { content: { "application/json": { example?: unknown } } };
}
const posts = Object.entries(openapi.paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) => {
  const example = item.post?.requestBody?.content["application/json"].example;
  return example === undefined ? [] : [{ path: path.replace(/\{\w+\}/g, "x"), example }];
});

/**
 * The example with a URL in place of its n-th text, and with tempting members next to each
 * existing one.
 */
function withUrls(value: unknown, pick: () => boolean, loose: boolean): unknown {
  if (typeof value === "string") return pick() ? ELSEWHERE : value;
  if (Array.isArray(value)) return value.map((item) => withUrls(item, pick, loose));
  if (typeof value !== "object" || value === null) return value;
  const own = Object.entries(value).map(([name, item]) => [name, withUrls(item, pick, loose)] as const);
  return { ...(loose && Object.fromEntries(TEMPTING.map((name) => [name, ELSEWHERE]))), ...Object.fromEntries(own) };
}

describe.each(Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[])("with the %s adapter", (name) => {
  test("whatever a request holds, only the configured host is asked", async () => {
    expect(posts.length).toBeGreaterThan(15);
    const { asked, post } = recorded(ADAPTERS[name], refusing);
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example", "x-verifier-url": ELSEWHERE };
    const query = `?${TEMPTING.map((field) => `${field}=${encodeURIComponent(ELSEWHERE)}`).join("&")}`;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        fc.infiniteStream(fc.boolean()),
        fc.boolean(),
        fc.constantFrom(
          `${query}&group_size=1`,
          query,
          "?group_size=1",
          "",
          `?group_size=1&spec=${encodeURIComponent(ELSEWHERE)}`,
        ),
        // Without a key, whoever comes through a proxy is refused.
        fc.constantFrom(headers, { "x-verifier-url": ELSEWHERE }),
        async ({ path, example }, picks, loose, search, sent) => {
          const body = withUrls(example, () => picks.next().value === true, loose);
          await (await post(`${path}${search}`, body, sent)).text();
        },
      ),
      { numRuns: 250 },
    );
    expect(asked.length).toBeGreaterThan(0);
    expect([...new Set(asked.map(({ origin }) => origin))]).toEqual([HERE]);
  });

  test("a model's name reaches the body, never the address", async () => {
    const { asked, post } = recorded(ADAPTERS[name], refusing);
    await post("/v1/rewards", { ...twoRollouts(), spec: { judge: { model: `../../${ELSEWHERE}?x=` } } });
    expect(asked.map(({ origin }) => origin)).toEqual(asked.map(() => HERE));
    expect(new Set(asked.map(({ pathname }) => pathname))).toEqual(
      new Set([name === "openai" ? "/v1/chat/completions" : "/v1/verify"]),
    );
  });

  test.each([301, 302, 303, 307, 308])("a redirect (%s) is a bad reply and is not followed", async (status) => {
    const away: Reply = () => new Response(null, { status, headers: { location: ELSEWHERE } });
    const { asked, post } = recorded(ADAPTERS[name], away);
    const reply = (await (await post("/v1/rewards", twoRollouts())).json()) as { groups: { rollouts: object[] }[] };
    expect(new Set(asked.map(({ origin }) => origin))).toEqual(new Set([HERE]));
    expect(reply.groups[0]?.rollouts).toEqual([
      expect.objectContaining({ reward: null, error: "verifier_bad_reply" }),
      expect.objectContaining({ reward: null, error: "verifier_bad_reply" }),
    ]);
  });
});

test.each(["ftp://h/", "file:///etc/passwd", "javascript:alert(1)", "//h", "h:8000", "http://", "http://u:p@h/"])(
  "VERIFIER_URL %j is refused or cannot be used",
  (url) => {
    const { faults } = readEnv({ VERIFIER_URL: url, VERIFIER_MODEL: "m" });
    if (faults.length === 0)
      expect(() => createOpenAiVerifier({ url, model: "m", apiKey: null }, clock)).toThrow(TypeError);
  },
);
