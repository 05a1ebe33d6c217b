// Holds who a request is when it presents several keys, what a key in a path may do, and that a
// token is what was signed, for as long as it says.
import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { makeToken, readToken } from "../../src/api/door/url-token.ts";
import { readEnv } from "../../src/env.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Timers } from "../../src/ports/ports.ts";
import { setUp, twoRollouts } from "../api/routes/harness.ts";

const hex = (key: string) => createHash("sha256").update(key).digest("hex");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const API_KEYS = `trainer:${hex("trainer-key")}:score+logs,boss:${hex("boss-key")}:score+logs+admin`;

function deployment(more: Record<string, string> = {}, timers: Timers = systemClock) {
  const { config, faults } = readEnv({ API_KEYS, TOKEN_SECRET: SECRET, ...more });
  expect(faults).toEqual([]);
  const { API_KEYS: keys = [], PATH_SCOPES: path_scopes, TOKEN_SECRET: token_secret } = config;
  return { ...setUp({ keys, path_scopes, token_secret, timers }), secret: token_secret as Uint8Array };
}

describe("a key in the path", () => {
  test.each([{ authorization: "Bearer dummy" }, { "x-api-key": "EMPTY" }, { authorization: `Basic ${btoa("a:b")}` }])(
    "wins over a header that is nobody's: %o",
    async (headers) => {
      const { call } = deployment();
      expect((await call("/k/trainer-key/v1/runs", { headers })).status).toBe(200);
      expect((await call("/k/nobody/v1/runs", { headers })).status).toBe(401);
    },
  );

  it("loses to a header that is somebody's, and may do no more than PATH_SCOPES says", async () => {
    const { call, post } = deployment({ PATH_SCOPES: "score" });
    expect((await call("/k/trainer-key/v1/runs")).status).toBe(403);
    expect((await post("/k/trainer-key/v1/rewards", twoRollouts())).status).toBe(200);
    expect((await call("/v1/runs", { headers: { "x-api-key": "trainer-key" } })).status).toBe(200);
    const boss = { authorization: "Bearer boss-key" };
    expect((await call("/k/trainer-key/v1/runs", { headers: boss })).status).toBe(200);
  });
});

describe("a token", () => {
  const until = Date.now() + 60_000;
  let now = until - 60_000;
  const timers = { ...systemClock, now: () => now };

  it("plays its key within its own scopes, in a path and in a header, until its time", async () => {
    const { call, post, secret } = deployment({}, timers);
    const token = await makeToken(secret, { name: "trainer", scopes: ["score", "admin"], until });
    expect(token).toMatch(/^[A-Za-z0-9._-]+$/);
    expect((await post(`/k/${token}/v1/rewards`, twoRollouts())).status).toBe(200);
    expect((await post("/v1/rewards", twoRollouts(), { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await call(`/k/${token}/v1/runs`)).status).toBe(403);
    expect((await call(`/k/${token}/v1/specs/x`, { method: "PUT" })).status).toBe(403);
    now = until;
    expect((await post(`/k/${token}/v1/rewards`, twoRollouts())).status).toBe(401);
  });

  it("of a key that is gone, or where there is no secret, is nobody's", async () => {
    const { post, secret } = deployment();
    const gone = await makeToken(secret, { name: "gone", scopes: ["score"], until });
    expect((await post(`/k/${gone}/v1/rewards`, twoRollouts())).status).toBe(401);
    const token = await makeToken(secret, { name: "trainer", scopes: ["score"], until });
    const { API_KEYS: keys = [] } = readEnv({ API_KEYS }).config;
    expect((await setUp({ keys }).post(`/k/${token}/v1/rewards`, twoRollouts())).status).toBe(401);
  });

  it("of which any character was changed, or that another secret signed, says nothing", async () => {
    const { secret } = deployment();
    const claims = { name: "trainer", scopes: ["score", "logs"], until };
    const token = await makeToken(secret, claims);
    expect(await readToken(secret, token, until - 1)).toEqual(claims);
    expect(await readToken(secret, token, until)).toBeNull();
    // The last character of a signature carries two bits that no byte has.
    for (let i = 0; i < token.length - 1; i++) {
      const other = token[i] === "A" ? "B" : "A";
      expect(await readToken(secret, `${token.slice(0, i)}${other}${token.slice(i + 1)}`, 0)).toBeNull();
    }
    expect(await readToken(new Uint8Array(32), token, 0)).toBeNull();
    for (const text of ["", "kt1", "kt1..", `kt1.${"A".repeat(43)}.`, "kt1.%%.%%"]) {
      expect(await readToken(secret, text, 0)).toBeNull();
    }
  });

  it.each([
    { name: "a b", scopes: ["score"], until },
    { name: "a", scopes: [], until },
    { name: "a", scopes: ["score"], until: 1 },
    { name: "a", scopes: ["score"], until: Number.NaN },
  ])("is not made of %o", async (claims) => {
    await expect(makeToken(new Uint8Array(32), claims)).rejects.toThrow(RangeError);
  });
});
