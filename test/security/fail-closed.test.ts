// Holds that a lost or malformed secret closes a deployment: API_KEYS in every spelling, keys of
// blanks, and requests that reach an open deployment through a proxy.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { createGate } from "../../gpu-backend/gateway/http/access.ts";
import { startFaults } from "../../scripts/stack/preflight.ts";
import { readEnv } from "../../src/env.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";

interface KeysCase {
  api_keys: string;
  /** Names of the keys; absent: the text is refused. */
  names?: string[];
  /** Part of the fault's sentence. */
  fault?: string;
}

const CASES = readFileSync(new URL("../vectors/api-keys.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as KeysCase);

describe("API_KEYS", () => {
  it("is read, or refused by the entry that is wrong and without a text that may be a key", () => {
    const failing = CASES.flatMap(({ api_keys, names, fault }) => {
      const { config, faults } = readEnv({ API_KEYS: api_keys });
      const [{ path, message } = { path: "", message: "" }] = faults;
      const right =
        fault === undefined
          ? faults.length === 0 && `${config.API_KEYS?.map(({ name }) => name) ?? ""}` === `${names}`
          : path === "API_KEYS" && message.includes(fault) && config.API_KEYS === undefined;
      const leaks = /secretvalue|(?:ab){8}/i.test(message);
      return right && !leaks ? [] : [{ api_keys, expected: fault ?? names, message, leaks }];
    });
    expect(failing).toEqual([]);
  });

  it("set and empty does not start a stack, and absent does", async () => {
    const place = { host: "127.0.0.1", port: 0, dataDir: null };
    expect((await startFaults({ API_KEYS: "" }, place)).map(({ path }) => path)).toEqual(["API_KEYS"]);
    expect((await startFaults({ API_KEYS: " , " }, place)).map(({ path }) => path)).toEqual(["API_KEYS"]);
    expect(await startFaults({}, place)).toEqual([]);
  });

  it("that is wrong lets nobody in, on a loopback host too", async () => {
    for (const API_KEYS of [",", " ", "\n", "a:", `a:${createHash("sha256").update("").digest("hex")}`]) {
      const { config, faults } = readEnv({ API_KEYS });
      const { call } = setUp({ keys: config.API_KEYS ?? [], faults });
      expect(await problemOf(await call("/v1/runs"))).toMatchObject({ status: 503, errors: [{ path: "API_KEYS" }] });
    }
  });
});

test.each([
  "PRICES",
  "KEY_LIMITS",
  "GROUP_SIZES",
  "LOG_DAYS",
  "MODELS",
  "PATH_SCOPES",
  "CHECKER_HOSTS",
  "TOKEN_SECRET",
  "VERIFIER_API_KEY",
])("%s of blanks and separators is refused: what was to be set is lost", (name) => {
  for (const value of [" ", ",", ";", " ; ", "\n", "\ufeff"])
    expect(readEnv({ [name]: value, KEY_COUNTERS: {} }).faults.map(({ path }) => path)).toContain(name);
});

test("an empty or blank key is nobody's, even where its digest is configured", async () => {
  const digest = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());
  const keys = ["", " ", "\n", "\t"].map((text, i) => ({ name: `k${i}`, digest: digest(text) }));
  const { call } = setUp({ keys });
  const basic = (pair: string) => ({ authorization: `Basic ${btoa(pair)}` });
  for (const headers of [basic("user:"), basic(":"), basic("user: "), basic("user:\n"), { "x-api-key": " " }])
    expect((await call("/v1/runs", { headers: headers as Record<string, string> })).status).toBe(401);
  for (const path of ["%20", "%0A", "%09", "%C2%A0"]) expect((await call(`/k/${path}/v1/runs`)).status).toBe(401);
});

describe("an open deployment", () => {
  const at = (headers: Record<string, string>) => setUp().app.request("http://localhost/v1/runs", { headers });
  test.each([
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1, 203.0.113.9" },
    { "x-real-ip": "10.0.0.7" },
    { "x-forwarded-for": "[2001:db8::7]:4711" },
    { forwarded: 'for="[2001:db8::7]:4711";proto=https' },
    { forwarded: "host=localhost, for=unknown" },
    { forwarded: "for=203.0.113.9;host=localhost" },
    { via: "1.1 front" },
    { "cdn-loop": "cloudflare" },
  ])("does not answer a proxy: %o", async (headers) => {
    expect(await problemOf(await at(headers as Record<string, string>))).toMatchObject({
      status: 503,
      code: "not_configured",
      errors: [{ path: "API_KEYS", message: "required behind a proxy" }],
    });
  });
  test.each([
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-host": "localhost:5173", "x-real-ip": "::1" },
    { forwarded: 'for="[::1]:5173";host=localhost' },
  ])("answers a proxy of this machine that says who asks: %o", async (headers) => {
    expect((await at(headers as Record<string, string>)).status).toBe(200);
  });
});

describe("the gateway", () => {
  const good = { ENGINE_URL: "http://a:8000", ENGINE_MODEL: "m" };
  it("takes no key that is short or blank, and wants one where others can connect", () => {
    const faultOf = (more: Record<string, string>) => `${readGatewayEnv({ ...good, ...more }).faults}`;
    for (const GATEWAY_API_KEY of [" ", "\n", ",", "k", "fifteen-letters"])
      expect(faultOf({ GATEWAY_API_KEY })).toMatch(/^GATEWAY_API_KEY: must be 16 to 512/);
    for (const more of [{}, { GATEWAY_API_KEY: "" }])
      expect(faultOf({ HOST: "0.0.0.0", ...more })).toBe("GATEWAY_API_KEY: required if HOST is not a loopback address");
    expect(faultOf({ HOST: "0.0.0.0", GATEWAY_API_KEY: "sixteen-letters-" })).toBe("null");
  });

  it("without a key answers this machine alone, through no proxy", () => {
    const gate = createGate(null);
    const passes = (headers: Record<string, string>, remoteAddress?: string) => {
      try {
        gate({ headers: { host: "localhost:8792", ...headers }, socket: { remoteAddress } });
        return true;
      } catch {
        return false;
      }
    };
    expect([passes({}), passes({}, "127.0.0.1"), passes({}, "::ffff:127.0.0.1"), passes({}, "::1")]).not.toContain(
      false,
    );
    expect([
      passes({}, "203.0.113.9"),
      passes({ host: "judge.example.org" }),
      passes({ "x-forwarded-for": "1.2.3.4" }),
      passes({ forwarded: "for=1.2.3.4" }),
      passes({ via: "1.1 front" }),
    ]).not.toContain(true);
  });
});

describe("a body without a Content-Type", () => {
  const post = (headers: Record<string, string>) =>
    setUp().app.request("http://localhost/v1/specs/check", {
      method: "POST",
      headers,
      body: new TextEncoder().encode("{}"),
    });
  it("is JSON from a program", async () => {
    expect((await post({})).status).toBe(200);
    expect((await post({ "user-agent": "curl/8.0" })).status).toBe(200);
  });
  test.each([
    { origin: "http://localhost:8787" },
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
    { "sec-fetch-mode": "cors" },
  ])("is refused from a browser: %o", async (headers) => {
    const sent = headers as Record<string, string>;
    expect(await problemOf(await post(sent))).toMatchObject({ status: 415, code: "unsupported_media_type" });
    expect((await post({ ...sent, "content-type": "text/plain" })).status).toBe(415);
    expect((await post({ ...sent, "content-type": "application/json" })).status).toBe(200);
  });
});

test.each(["https://other.example.org", "null", "http://10.0.0.7:3000"])(
  "an open deployment answers no page of %s, by Origin alone",
  async (origin) => {
    const { app } = setUp();
    const asked = (value: string) => app.request("http://localhost/v1/runs", { headers: { origin: value } });
    expect((await asked(origin)).status).toBe(503);
    expect((await asked("http://localhost:5173")).status).toBe(200);
  },
);
