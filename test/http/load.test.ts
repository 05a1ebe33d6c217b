// Holds what an isolate refuses for its own load, before a body is read, and that whatever ends a request gives its share back.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { Load } from "../../src/http/load.ts";
import { fakeSpecStore, fakeVerifier } from "../fakes.ts";
import { problemOf, setUp, twoRollouts } from "../routes/harness.ts";
import { gate } from "../verifier/setup.ts";

describe("the isolate's load", () => {
  it("refuses bodies beyond in_flight_body_bytes_max before they are read, and takes them again when others have ended", async () => {
    const { opened, open } = gate();
    const verifier = fakeVerifier(() => "\\boxed{A}", { gate: opened });
    const { app } = setUp({ verifier });
    const send = (bytes: number) =>
      app.request("http://localhost/v1/rewards", {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": `${bytes}` },
        body: JSON.stringify(twoRollouts()),
      });
    const held = Array.from({ length: 4 }, () => send(LIMITS.body_bytes));
    const shed = await send(1);
    expect([shed.status, shed.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await problemOf(shed)).detail).toContain(`in_flight_body_bytes_max = ${LIMITS.in_flight_body_bytes_max}`);
    open();
    for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
    expect((await send(1)).status).toBe(200);
    const text = await (await app.request("http://localhost/metrics")).text();
    expect(text).toContain('kritai_requests_shed_total{limit="in_flight_body_bytes_max"} 1');
  });

  it("is given back by a client that goes before its request has come to anything", async () => {
    const specs = { ...fakeSpecStore(), get: () => new Promise<never>(() => {}) };
    const { app, post } = setUp({ specs });
    const client = new AbortController();
    const body = JSON.stringify({ ...twoRollouts(), spec: "stored" });
    const headers = { "content-type": "application/json", "content-length": `${LIMITS.body_bytes}` };
    for (let i = 0; i < 4; i++) {
      void app.request("http://localhost/v1/rewards", { method: "POST", headers, body, signal: client.signal });
    }
    const large = { "content-length": `${LIMITS.body_bytes}` };
    expect((await problemOf(await post("/v1/rewards", twoRollouts(), large))).code).toBe("busy");
    client.abort();
    expect((await post("/v1/rewards", twoRollouts(), large)).status).toBe(200);
  });

  it("counts no more of a body than is taken, and sheds no request without one for it", async () => {
    const { opened, open } = gate();
    const { post, call } = setUp({ verifier: fakeVerifier(() => "\\boxed{A}", { gate: opened }) });
    const huge = post("/v1/rewards", twoRollouts(), { "content-length": `${8 * LIMITS.in_flight_body_bytes_max}` });
    expect((await call("/v1/runs")).status).toBe(200);
    expect((await post("/v1/evaluations", { lists: [{ pass_rates: [1, 0] }] })).status).toBe(200);
    open();
    await huge;
  });
});

describe("Load", () => {
  it("gives a share up that nobody gave back, once", () => {
    const load = new Load();
    const leave = load.enter(LIMITS.in_flight_body_bytes_max, 0);
    expect(load.exceeded(1, LIMITS.key_lease_ms - 1)).toBe("in_flight_body_bytes_max");
    expect(load.exceeded(0, LIMITS.key_lease_ms - 1)).toBeNull();
    expect(load.exceeded(1, LIMITS.key_lease_ms)).toBeNull();
    leave();
    load.enter(LIMITS.in_flight_body_bytes_max, LIMITS.key_lease_ms);
    expect(load.exceeded(1, LIMITS.key_lease_ms)).toBe("in_flight_body_bytes_max");
  });
});
